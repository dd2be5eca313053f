import type { Actor } from "../contract/ports/actor.js";
import type { Clock } from "../contract/ports/clock.js";
import type { Iterations } from "./iterations.js";
import type { SqlDatabase } from "./sql.js";
import type { TextIndex } from "./text-index.js";

/** For whom the work stores are handed out. */
export interface WorkScope {
  readonly actor: Actor;
  /** The iteration that the session is in, where it is in one. */
  readonly iterationId: () => string | undefined;
  /** The session works in this one from now on. @param chosen It said so itself. */
  readonly enter: (iterationId: string, chosen: boolean) => void;
  readonly documents: DocumentFiles;
}

/** Where the newest versions of documents lie as files. */
export interface DocumentFiles {
  /** The file of a document, relative to the workspace where it lies inside. */
  pathOf(iterationId: string, name: string): string;
  /** `undefined` where there is none. */
  read(path: string): Promise<string | undefined>;
  write(path: string, content: string): Promise<void>;
}

/** What every work store is made of. */
export interface WorkParts {
  readonly database: SqlDatabase;
  readonly clock: Clock;
  readonly iterations: Iterations;
  /** The full text of what can be searched. */
  readonly texts: { readonly memories: TextIndex; readonly snippets: TextIndex };
  readonly scope: WorkScope;
}
