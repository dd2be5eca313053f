import { ToolValidationError, type ToolError } from "../../contract/errors.js";
import type { RefusedPatch } from "../../text/apply-patch.js";
import { compareSeen } from "./freshness.js";
import type { PresentFile } from "./layers.js";
import { clipText, describeNearest, modifiedSinceRead, notExact, quote } from "./layer-errors.js";

type Misfit = Pick<RefusedPatch, "reason" | "hunkText" | "message" | "nearest" | "lines">;

/** The error for a hunk that does not match, with the most similar text. Layer 8 comes before layer 9. */
export function hunkRefused(path: string, misfit: Misfit, present?: PresentFile): ToolError {
  const { reason, hunkText, message, nearest, lines } = misfit;
  if (reason === "not exact") return notExact(path, message);
  const stale = present === undefined ? undefined : staleError(present, hunkText);
  if (stale !== undefined) return stale;
  const isAmbiguous = reason === "ambiguous";
  const places =
    lines === undefined || lines.length === 0 ? "" : ` It matches at lines ${lines.slice(0, 10).join(", ")}.`;
  const what = isAmbiguous
    ? "A hunk of the diff matches more than once in"
    : "A hunk of the diff was not found in";
  return new ToolValidationError(
    `${what} ${quote(path)}: ${message}${places}\n${clipText(hunkText, 1500)}${describeNearest(nearest)}`,
    {
      code: isAmbiguous ? "EDIT_OLD_STR_AMBIGUOUS" : "EDIT_OLD_STR_MISSING",
      hint: "No file was changed. Fix the hunk and send the whole diff again.",
      details: {
        errorCode: isAmbiguous ? 9 : 8,
        layer: 9,
        hunk: hunkText,
        ...(nearest !== undefined && { nearest }),
        ...(lines !== undefined && { lines }),
      },
    },
  );
}

/** The error if the hunk was made for lines that have changed since they were seen. */
function staleError({ path, seen, lines }: PresentFile, hunkText: string): ToolError | undefined {
  if (seen === undefined) return undefined;
  const fresh = compareSeen(seen, lines);
  const old = hunkText
    .split(/\r?\n/)
    .filter((line) => /^[ -]/.test(line))
    .map((line) => line.slice(1));
  const isGone = old.some((line) => line.trim() !== "" && fresh.changedWith(line) !== undefined);
  return isGone ? modifiedSinceRead(path, fresh.firstChange) : undefined;
}
