import type { Actor } from "../contract/ports/actor.js";
import type { Clock } from "../contract/ports/clock.js";
import type { IterationTracker } from "../contract/session.js";
import type { Iterations } from "./iterations.js";
import type { SqlDatabase } from "./sql.js";
import type { StateLimits } from "./state-limits.js";
import type { TextIndex } from "./text-index.js";

/** For whom the work stores are handed out. */
export interface WorkScope {
  readonly actor: Actor;
  /** The session's place in the pipeline. */
  readonly iterationTracker: IterationTracker;
  readonly documents: DocumentFiles;
  /** Whose memories it finds besides those that are shared with all. @default everybody's */
  readonly audience?: Audience | undefined;
}

/** Who works: the principal, "local" for the person on the machine itself, and the MCP endpoint that it came through. */
export interface Audience {
  readonly principal: string;
  readonly endpoint?: string | undefined;
}

/** Where the newest versions of documents lie as files. */
export interface DocumentFiles {
  /** The file of a document, relative to the workspace where it lies inside. */
  pathOf(iterationId: string, name: string): string;
  /** `undefined` where there is none. */
  read(path: string): Promise<string | undefined>;
  write(path: string, content: string): Promise<void>;
}

export interface WorkParts {
  readonly limits: StateLimits;
  readonly database: SqlDatabase;
  readonly clock: Clock;
  readonly iterations: Iterations;
  /** The full text of what can be searched. */
  readonly texts: { readonly memories: TextIndex; readonly snippets: TextIndex };
  readonly scope: WorkScope;
}
