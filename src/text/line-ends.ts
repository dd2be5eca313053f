import type { LineEnding } from "./decoded-text.js";

/** Say how the lines of a text end. */
export function lineEndingOf(text: string): LineEnding {
  const feeds = countOf(text, "\n");
  const returns = countOf(text, "\r");
  if (returns === 0) return feeds === 0 ? "none" : "lf";
  if (feeds === 0) return "cr";
  return feeds === returns && countOf(text, "\r\n") === feeds ? "crlf" : "mixed";
}

/** Write every line end as a line feed. */
export function toLineFeeds(text: string): string {
  return text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
}

/** Count how often a short string occurs, from one place to another. */
export function countOf(text: string, wanted: string, from = 0, to = text.length): number {
  let count = 0;
  for (
    let at = text.indexOf(wanted, from);
    at !== -1 && at < to;
    at = text.indexOf(wanted, at + wanted.length)
  ) {
    count += 1;
  }
  return count;
}
