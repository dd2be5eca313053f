/** A text as far as it is shown. */
export interface CutText {
  readonly shown: string;
  /** Characters that are left out. */
  readonly left: number;
}

/** Cut a text to a length that the browser lays out without effort, and each of its lines as well. */
export function cutText(text: string, limit: number, from: "start" | "end" = "start"): CutText {
  const part = text.length <= limit ? text : from === "start" ? text.slice(0, limit) : text.slice(-limit);
  const lineLimit = Math.max(2000, Math.floor(limit / 8));
  let cut = 0;
  const shown = part.length <= lineLimit ? part : part.split("\n").map(short).join("\n");
  return { shown, left: text.length - part.length + cut };

  function short(line: string): string {
    if (line.length <= lineLimit) return line;
    cut += line.length - lineLimit;
    return `${line.slice(0, lineLimit)}…`;
  }
}
