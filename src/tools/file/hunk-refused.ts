import { ToolValidationError, type ToolError } from "../../contract/errors.js";
import type { RefusedPatch } from "../../text/apply-patch.js";
import { compareSeen } from "./freshness.js";
import type { PresentFile } from "./layers.js";
import { describeNearest, modifiedSinceRead, notExact, quote } from "./layer-errors.js";

type Misfit = Pick<RefusedPatch, "reason" | "hunkText" | "message" | "nearest" | "lines">;

/** Why a hunk is refused, with the hunk and the place that is most like it. Layer 8 comes before layer 9. */
export function hunkRefused(path: string, misfit: Misfit, present?: PresentFile): ToolError {
  const { reason, hunkText, message, nearest, lines } = misfit;
  if (reason === "not exact") return notExact(path, message);
  const stale = present === undefined ? undefined : staleAt(present, hunkText);
  if (stale !== undefined) return stale;
  const isAmbiguous = reason === "ambiguous";
  const places =
    lines === undefined || lines.length === 0 ? "" : ` It fits at lines ${lines.slice(0, 10).join(", ")}.`;
  const what = isAmbiguous
    ? "A hunk of the diff fits more than once in"
    : "A hunk of the diff was not found in";
  return new ToolValidationError(
    `${what} ${quote(path)}: ${message}${places}\n${clip(hunkText)}${describeNearest(nearest)}`,
    {
      code: isAmbiguous ? "EDIT_OLD_STR_AMBIGUOUS" : "EDIT_OLD_STR_MISSING",
      hint: "Nothing was changed, in none of the files. Correct the hunk and send the whole diff again.",
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

/** The hunk was made for lines that were seen and are others now. */
function staleAt({ path, seen, lines }: PresentFile, hunkText: string): ToolError | undefined {
  if (seen === undefined) return undefined;
  const fresh = compareSeen(seen, lines);
  const old = hunkText
    .split(/\r?\n/)
    .filter((line) => /^[ -]/.test(line))
    .map((line) => line.slice(1));
  const isGone = old.some((line) => line.trim() !== "" && fresh.changedWith(line) !== undefined);
  return isGone ? modifiedSinceRead(path, fresh.firstChange) : undefined;
}

function clip(text: string): string {
  return text.length > 1500 ? `${text.slice(0, 1500).toWellFormed()}\n…` : text;
}
