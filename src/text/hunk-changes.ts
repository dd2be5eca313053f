import type { FileLines } from "./file-lines.js";
import type { Span } from "./find-match.js";
import type { Hunk, HunkLine } from "./file-patch.js";

/** Lines of the file to take out and the text to put there. */
export interface Change {
  readonly span: Span;
  readonly newText: string;
}

interface Block {
  /** Lines of the file taken out: from this one up to, not including, that one. */
  readonly from: number;
  readonly to: number;
  readonly added: readonly HunkLine[];
}

export interface HunkAt {
  readonly hunk: Hunk;
  readonly at: number;
  readonly pack: (text: string) => string;
  /** Whether its old lines are known to be those of the file, line ends included. */
  readonly asWritten: boolean;
}

/** The changes of a placed hunk; `undefined` if it would leave a line in the middle of the file without its end. */
export function changesOf(file: FileLines, place: HunkAt): Change[] | undefined {
  const { hunk, at, pack } = place;
  const asWritten = place.asWritten || matchesAsWritten(file, place);
  const marked = !place.asWritten && hunk.lines.some((line) => line.noNewline);
  const changes: Change[] = [];
  for (const block of blocksOf(hunk, at)) {
    if (marked && block.to < file.count && block.added.some((line) => line.noNewline)) return undefined;
    const span = { start: file.start(block.from), end: file.start(block.to) };
    const newText = asWritten ? joinAdded(block.added, pack) : withEndsOfPlace(file, block, { marked, pack });
    changes.push({ span, newText });
  }
  return changes;
}

function joinAdded(added: readonly HunkLine[], pack: (text: string) => string): string {
  const lines = added.map(({ text, noNewline }) => pack(text) + (noNewline ? "" : "\n"));
  return lines.length === 1 ? (lines[0] ?? "") : lines.join("");
}

/** The diff shows the file's line ends as they are: then it means its own too. */
function matchesAsWritten(file: FileLines, { hunk, at, pack }: HunkAt): boolean {
  let line = at;
  let hasEnds = false;
  for (const { sign, text, noNewline } of hunk.lines) {
    if (sign === "+") continue;
    if (!file.isLine(line, pack(text), noNewline ? "" : "\n")) return false;
    hasEnds ||= !noNewline;
    line += 1;
  }
  // Where no line end is there to compare, a return shown on a new line says it.
  return hasEnds || file.count === 0 || hunk.lines.some(({ text }) => text.endsWith("\r"));
}

function blocksOf({ lines }: Hunk, at: number): Block[] {
  const blocks: Block[] = [];
  let line = at;
  for (let index = 0; index < lines.length;) {
    if (lines[index]?.sign === " ") {
      line += 1;
      index += 1;
      continue;
    }
    const from = line;
    const first = index;
    for (; index < lines.length && lines[index]?.sign !== " "; index += 1) {
      if (lines[index]?.sign === "-") line += 1;
    }
    const added = lines.slice(first, index).filter(({ sign }) => sign === "+");
    blocks.push({ from, to: line, added });
  }
  return blocks;
}

interface Ends {
  readonly marked: boolean;
  readonly pack: (text: string) => string;
}

/** The diff came without the file's line ends: new lines take those of the lines they replace or join. */
function withEndsOfPlace(file: FileLines, block: Block, { marked, pack }: Ends): string {
  const usual = usualEnd(file, block);
  const last = block.added.length - 1;
  const reachesEnd = block.to >= file.count;
  const wasOpen = reachesEnd && file.count > 0 && file.line(file.count - 1).end === "";
  const lines = block.added.map((line, index) => {
    const text = pack(line.text.replace(/\r$/, ""));
    const replaced = block.from + index < block.to ? file.line(block.from + index).end : "";
    const end = replaced === "" ? usual : replaced;
    if (index !== last || !reachesEnd) return text + end;
    // Without a word about it, a file that ended amid a line still does.
    const staysOpen = line.noNewline || (!marked && wasOpen);
    return staysOpen ? text : text + end;
  });
  // What is put after a last line without an end gives it one.
  const joins = wasOpen && block.from >= file.count && lines.length > 0;
  return joins ? usual + lines.join("") : lines.join("");
}

/** The line end of the nearest line that has one. */
function usualEnd(file: FileLines, { from, to }: Block): string {
  for (const at of [from - 1, from, to, from - 2, file.count - 2, 0]) {
    if (at < 0 || at >= file.count) continue;
    const { end } = file.line(at);
    if (end !== "") return end;
  }
  return "\n";
}
