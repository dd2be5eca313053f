import * as z from "zod";
import { ToolExecutionError } from "../../contract/errors.js";
import type { Resource } from "../../contract/resources.js";
import { gitFileRole } from "../../text/git-file.js";

/** The files that a call touches; the tool fills them in, whatever the caller passes. */
export const touchedPaths = z
  .array(z.string())
  .max(1_000_000)
  .optional()
  .describe("Do not set: Tenon fills in the affected files.");

interface UndoTarget {
  readonly path?: string | undefined;
  readonly paths?: readonly string[] | undefined;
}

/** The files that such a call writes, as far as they are known. */
export function writesOf({ path, paths = [] }: UndoTarget): Resource[] {
  const all = new Set(path === undefined ? paths : [path, ...paths]);
  return [...all].map((each) => ({ path: each }));
}

/** Refuse to touch a file that was not checked, because something changed since the check. */
export function requireJudged(
  touched: readonly { readonly path: string }[],
  { paths = [] }: UndoTarget,
): void {
  const judged = new Set(paths);
  const unjudged = touched.find(({ path }) => !judged.has(path) && gitFileRole(path) === undefined);
  if (unjudged === undefined) return;
  throw new ToolExecutionError(
    `More files changed in the meantime: ${JSON.stringify(unjudged.path)} would be undone, too.`,
    {
      code: "FILE_CONFLICT",
      hint: "Call again.",
    },
  );
}
