import * as z from "zod";
import { ToolExecutionError } from "../../contract/errors.js";
import type { Resource } from "../../contract/resources.js";

/** The files that a call turns out to touch; the tool's own check fills them in, whatever the caller says. */
export const touchedPaths = z
  .array(z.string())
  .max(10_000)
  .optional()
  .describe("Leave out: the files that are touched, which Tenon looks up.");

interface Wish {
  readonly path?: string | undefined;
  readonly paths?: readonly string[] | undefined;
}

/** What such a call writes, as far as it is known. */
export function writesOf({ path, paths = [] }: Wish): Resource[] {
  const all = new Set(path === undefined ? paths : [path, ...paths]);
  return [...all].map((each) => ({ path: each }));
}

/** Refuse to touch what was not judged: something changed between the check and now. */
export function requireJudged(touched: readonly { readonly path: string }[], { paths = [] }: Wish): void {
  const unjudged = touched.find(({ path }) => !paths.includes(path));
  if (unjudged === undefined) return;
  throw new ToolExecutionError(
    `More was changed meanwhile: ${JSON.stringify(unjudged.path)} too would be undone.`,
    {
      code: "FILE_CONFLICT",
      hint: "Call again.",
    },
  );
}
