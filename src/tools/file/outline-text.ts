import type { OutlineItem } from "../../syntax/outline-source.js";

/** An outline as text, and whether all of it is there. */
export interface OutlineText {
  readonly text: string;
  readonly complete: boolean;
}

/** Write an outline within a number of characters: where it is too long, the inner levels go first. */
export function fitOutline(items: readonly OutlineItem[], maxChars: number): OutlineText {
  const deepest = Math.max(0, ...items.map((item) => item.depth));
  for (let depth = deepest; depth >= 0; depth -= 1) {
    const text = write(items.filter((item) => item.depth <= depth));
    if (text.length <= maxChars) return { text, complete: depth === deepest };
  }
  const outer = write(items.filter((item) => item.depth === 0));
  const end = outer.lastIndexOf("\n", maxChars);
  return { text: outer.slice(0, end > 0 ? end : maxChars).toWellFormed(), complete: false };
}

function write(items: readonly OutlineItem[]): string {
  return items
    .map(({ line, endLine, depth, signature }) => {
      const range = endLine > line ? `${line}-${endLine}` : String(line);
      return `${"  ".repeat(depth)}${range}: ${oneLine(signature)}`;
    })
    .join("\n");
}

const longestSignature = 200;

function oneLine(signature: string): string {
  const text = signature.replaceAll(/\s+/g, " ").trim();
  return text.length <= longestSignature ? text : `${text.slice(0, longestSignature).toWellFormed()}…`;
}
