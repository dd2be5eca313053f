import type { FileHandle } from "node:fs/promises";
import type { OutputPage } from "../../contract/ports/outputs.js";
import { cleanText } from "../processes/clean-text.js";
import { countLines, extendIndex, offsetOfLine, readChunks, type LineIndex } from "./line-scan.js";

/** Which lines are wanted, and how much of them. */
export interface PageOptions {
  readonly startLine?: number;
  readonly endLine?: number;
  readonly maxChars?: number;
}

const defaultChars = 50_000;
const mostChars = 1_000_000;

/** Read whole lines, as many as fit; one that does not fit alone is cut and says so. */
export async function pageOutput(
  file: FileHandle,
  index: LineIndex,
  options: PageOptions,
): Promise<OutputPage> {
  await extendIndex(index, file);
  const totalLines = countLines(index);
  const startLine = clamp(options.startLine, 1, totalLines + 1, 1);
  const wanted = clamp(options.endLine, startLine, totalLines, totalLines);
  const budget = clamp(options.maxChars, 1, mostChars, defaultChars);
  if (startLine > totalLines) return { text: "", startLine, endLine: startLine - 1, totalLines, more: false };
  const offset = await offsetOfLine(file, index, startLine);
  const { bytes, lines, cut } = await collect(file, offset, { lines: wanted - startLine + 1, budget });
  const endLine = startLine + lines - 1;
  const note = cut === undefined ? "" : `\n[line ${startLine} is longer than fits and was cut here]`;
  return {
    text: cleanText(new TextDecoder().decode(bytes)) + note,
    startLine,
    endLine,
    totalLines,
    more: endLine < totalLines,
  };
}

function clamp(value: number | undefined, low: number, high: number, fallback: number): number {
  if (value === undefined || Number.isNaN(value)) return Math.max(low, fallback);
  return Math.max(low, Math.min(Math.trunc(value), high));
}

interface Collected {
  readonly bytes: Buffer;
  readonly lines: number;
  /** The first line alone did not fit. */
  readonly cut?: true;
}

/** Bytes of the lines from an offset on; a byte is never less than a character's share. */
async function collect(
  file: FileHandle,
  offset: number,
  wanted: { readonly lines: number; readonly budget: number },
): Promise<Collected> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of readChunks(file, offset)) {
    parts.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > wanted.budget) break;
  }
  const bytes = Buffer.concat(parts);
  let [end, lines] = [0, 0];
  while (lines < wanted.lines && end < bytes.length) {
    const next = bytes.indexOf(10, end);
    const lineEnd = next === -1 ? bytes.length : next + 1;
    if (lineEnd > wanted.budget) break;
    end = lineEnd;
    lines += 1;
  }
  if (lines === 0) return { bytes: wholeCharacters(bytes.subarray(0, wanted.budget)), lines: 1, cut: true };
  const withoutEnd = bytes[end - 1] === 10 ? end - 1 : end;
  return { bytes: bytes.subarray(0, withoutEnd), lines };
}

/** Without the first bytes of a character whose rest is cut off. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return ((bytes[end - 1] ?? 0) & 0xc0) === 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}
