import { foldText } from "../../../src/text/visible-text.js";

/** A text as far as it is shown. */
export interface CutText {
  readonly shown: string;
  /** Characters that are left out. */
  readonly left: number;
  /** Lines that are left out, whole or in part. */
  readonly leftLines: number;
}

/** Keep so much of a text, in its visible form, as the browser lays out without effort, and count the rest. */
export function cutText(text: string, limit: number, from: "start" | "end" = "start"): CutText {
  if (text.length <= limit) return { shown: text, left: 0, leftLines: 0 };
  if (from === "start") {
    const { shown } = foldText(text, { lines: Number.POSITIVE_INFINITY, characters: limit });
    return countLeft(text, shown.slice(0, wholeCharacters(shown)));
  }
  const tail = text.slice(-limit);
  // Behind the first line end, or behind a character that was cut in two.
  const start = tail.indexOf("\n") + 1 || (/^[^⟨]{0,10}⟩|^[\udc00-\udfff]/.exec(tail)?.[0].length ?? 0);
  return countLeft(text, tail.slice(start));
}

/** The end of the last character that is whole: `⟨U+20` is none. */
function wholeCharacters(shown: string): number {
  const open = shown.lastIndexOf("⟨");
  return open > shown.lastIndexOf("⟩") ? open : shown.length;
}

function countLeft(text: string, shown: string): CutText {
  const count = (part: string): number => part.split("\n").length;
  return {
    shown,
    left: text.length - shown.length,
    leftLines: count(text) - count(shown) + (shown.endsWith("\n") || shown === "" ? 1 : 0) || 1,
  };
}
