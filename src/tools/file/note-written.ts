import { isUtf8 } from "node:buffer";
import type { ToolContext } from "../../contract/context.js";
import { decodeText } from "../../text/decode-text.js";
import { bytesAfter, type EditedText } from "./edited-text.js";
import type { KnownLines } from "./known-lines.js";

export interface WrittenText {
  readonly edited: EditedText;
  /** The lines of the new text that the session knows. */
  readonly known: KnownLines;
  readonly encoding?: string | undefined;
}

/** After a write, the session knows the written lines and the lines that it knew before. */
export async function noteWritten(
  { files, seen }: Pick<ToolContext, "files" | "seen">,
  path: string,
  { edited, known: { runs, parts }, encoding }: WrittenText,
): Promise<void> {
  const stat = await files.stat(path);
  if (stat === null) return seen.forget(path);
  const [run] = runs;
  const isWhole = runs.length <= 1 && (run?.start ?? 1) === 1;
  // The lines are counted only if all of them may be known.
  const complete = isWhole && (run?.lines.length ?? 0) === linesAfter(edited);
  const named = encoding === undefined ? encodingAfter(edited) : { encoding };
  seen.set(path, { identity: stat.identity, runs, parts, complete, ...named });
}

/** The encoding to remember, if it cannot be detected from the bytes. */
export function namedEncoding(bytes: Uint8Array, encoding: string): { encoding?: string } {
  return decodeText(bytes).encoding === encoding ? {} : { encoding };
}

/** In a larger file, a small edit hardly changes the detected encoding. */
const maxDetectedBytes = 1 << 20;

function encodingAfter(edited: EditedText): { encoding?: string } {
  if (edited.before.length > maxDetectedBytes || staysUtf8(edited)) return {};
  return namedEncoding(bytesAfter(edited), edited.lines.encoding);
}

/** Whether the new text is plainly UTF-8: without the bytes that other encodings are known by. */
function staysUtf8({ before, lines, splices }: EditedText): boolean {
  if (lines.encoding !== "utf8" || !isPlainUtf8(before)) return false;
  for (const { data } of splices) if (!isPlainUtf8(data)) return false;
  return true;
}

function isPlainUtf8(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0) && !bytes.includes(0x1b);
}

function linesAfter({ lines, changes }: EditedText): number {
  let { count } = lines;
  for (const { startLine, endLine, newLines } of changes)
    count += newLines.length - (endLine - startLine + 1);
  return count;
}
