import { ToolValidationError } from "../../contract/errors.js";
import type { Outputs } from "../../contract/ports/outputs.js";
import { OutputCatalogue, type OutputStoreOptions } from "./output-catalogue.js";
import { pageOutput } from "./page-output.js";
import { searchOutput } from "./search-output.js";

export type { OutputStoreOptions } from "./output-catalogue.js";

/** Outputs of all sessions; each session sees its own. */
export interface OutputStore {
  forSession(sessionId: string): Outputs;
  /** Forget what a session has kept. */
  endSession(sessionId: string): Promise<void>;
  /** Forget what is expired, what an earlier run left half done, and the oldest beyond the bound. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

const searchMs = 5000;
const maxNeedleBytes = 32 * 1024;

/** Keep outputs in files; nothing touches the disk before the first output. */
export function createOutputStore(options: OutputStoreOptions): OutputStore {
  const catalogue = new OutputCatalogue(options);
  return {
    forSession: (sessionId) => ({
      create: (kind) => catalogue.create(sessionId, kind),
      describe: (handle) => catalogue.describe(handle, sessionId),
      page: (handle, wanted = {}) =>
        catalogue.withFile(handle, sessionId, async (file, index, { exact, untrusted }) => ({
          ...(await pageOutput(file, index, { ...wanted, exact })),
          ...(untrusted === true && { untrusted }),
        })),
      search: (handle, text, { limit = 100, ignoreCase = false } = {}) => {
        refuseNeedle(text);
        const end = options.now() + searchMs;
        const expired = (): boolean => options.now() > end;
        const maxMatches = Math.max(1, Math.min(Math.trunc(limit) || 1, 1000));
        return catalogue.withFile(handle, sessionId, async (file, _index, { untrusted }) => ({
          ...(await searchOutput(file, { text, ignoreCase, limit: maxMatches, expired })),
          ...(untrusted === true && { untrusted }),
        }));
      },
    }),
    endSession: (sessionId) => catalogue.endSession(sessionId),
    sweep: () => catalogue.sweep(),
    close: () => catalogue.close(),
  };
}

function refuseNeedle(text: string): void {
  if (text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= maxNeedleBytes) return;
  throw new ToolValidationError("A search needs a text of one line, neither empty nor longer than 32 kB.", {
    code: "VALUE_INVALID",
    hint: "Search for a shorter piece of the line.",
  });
}
