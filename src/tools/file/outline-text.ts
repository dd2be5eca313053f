import type { OutlineItem } from "../../syntax/outline-source.js";

/** An outline as text, and whether it is complete. */
export interface OutlineText {
  readonly text: string;
  readonly complete: boolean;
}

/** Format an outline within a number of characters; if it is too long, the deepest levels are dropped first. */
export function fitOutline(items: readonly OutlineItem[], maxChars: number): OutlineText {
  const deepest = Math.max(0, ...items.map((item) => item.depth));
  for (let depth = deepest; depth >= 0; depth -= 1) {
    const text = formatOutline(items.filter((item) => item.depth <= depth));
    if (text.length <= maxChars) return { text, complete: depth === deepest };
  }
  const outer = formatOutline(items.filter((item) => item.depth === 0));
  const end = outer.lastIndexOf("\n", maxChars);
  return { text: outer.slice(0, end > 0 ? end : maxChars).toWellFormed(), complete: false };
}

function formatOutline(items: readonly OutlineItem[]): string {
  return items
    .map(({ line, endLine, depth, signature }) => {
      const range = endLine > line ? `${line}-${endLine}` : String(line);
      return `${"  ".repeat(depth)}${range}: ${oneLine(signature)}`;
    })
    .join("\n");
}

const maxSignatureChars = 200;

function oneLine(signature: string): string {
  const text = signature.replaceAll(/\s+/g, " ").trim();
  return text.length <= maxSignatureChars ? text : `${text.slice(0, maxSignatureChars).toWellFormed()}…`;
}
