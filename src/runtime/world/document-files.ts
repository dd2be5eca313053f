import { posix } from "node:path";
import type { ChangeOrigin } from "../../contract/ports/journal.js";
import type { DocumentFiles } from "../../store/work-scope.js";
import type { Journal } from "../../world/journal/journal.js";
import type { Guards } from "./guards.js";

export interface DocumentFilesOptions {
  /** Their folder, as configured. */
  readonly dir: string;
  readonly guards: Guards;
  readonly journal: Journal;
  readonly callId: string;
  readonly tool: string;
  readonly signal?: AbortSignal;
}

/** The session of documents in the journal: an agent's undo covers what its tools edited, not these. */
const documentSession = "documents";

/** The files of documents: the only access of a call to their folder, and to nothing else. */
export function createDocumentFiles(options: DocumentFilesOptions): DocumentFiles {
  const { dir, guards, journal, callId, tool, signal } = options;
  const origin: ChangeOrigin = { callId, sessionId: documentSession, tool };
  return {
    pathOf: (iterationId, name) => posix.join(dir, iterationId, `${name}.md`),
    async read(path) {
      const { files } = guards.documents();
      if (files.stat(path) === null) return undefined;
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await files.read(path));
    },
    async write(path, content) {
      const { files, folder } = guards.documents();
      // Not in the journal: an empty folder that is left is not a change.
      await folder.makeDirectory(posix.dirname(path));
      const data = new TextEncoder().encode(content);
      await journal.apply([{ op: "write", path, data }], origin, { guard: files, signal });
    },
  };
}
