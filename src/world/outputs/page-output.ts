import type { FileHandle } from "node:fs/promises";
import type { OutputPage } from "../../contract/ports/outputs.js";
import { cleanText } from "../processes/clean-text.js";
import {
  countLines,
  countNewlines,
  extendIndex,
  lineAt,
  offsetOfLine,
  readChunks,
  type LineIndex,
} from "./line-scan.js";

/** Which lines are wanted, and how much of them. */
export interface PageOptions {
  readonly startLine?: number;
  readonly endLine?: number;
  readonly maxChars?: number;
  /** The byte to begin at, in the place of a line. */
  readonly offset?: number | undefined;
  /** Give the text as it is. */
  readonly exact?: boolean | undefined;
}

const defaultChars = 50_000;
const maxPageChars = 1_000_000;

/** Read whole lines, as many as fit; one that does not fit alone is cut and says so. */
export async function pageOutput(
  file: FileHandle,
  index: LineIndex,
  options: PageOptions,
): Promise<OutputPage> {
  await extendIndex(index, file);
  const totalLines = countLines(index);
  const budget = clamp(options.maxChars, 1, maxPageChars, defaultChars);
  if (options.offset !== undefined) return pageFrom(file, index, { ...options, budget });
  const startLine = clamp(options.startLine, 1, totalLines + 1, 1);
  const wanted = clamp(options.endLine, startLine, totalLines, totalLines);
  if (startLine > totalLines) return { text: "", startLine, endLine: startLine - 1, totalLines, more: false };
  const offset = await offsetOfLine(file, index, startLine);
  const { bytes, size, lines, cut } = await collect(file, offset, { lines: wanted - startLine + 1, budget });
  const endLine = startLine + lines - 1;
  const next = offset + size;
  const note =
    cut === undefined
      ? ""
      : `\n[line ${startLine} is longer than fits and was cut here; continue with offset ${next}]`;
  return {
    text: toText(bytes, options) + note,
    startLine,
    endLine,
    totalLines,
    more: endLine < totalLines,
    ...(next < index.scanned && { nextOffset: next }),
  };
}

/** As many characters from a byte on as fit; one that the byte stands in the middle of is left out. */
async function pageFrom(
  file: FileHandle,
  index: LineIndex,
  { offset = 0, exact, budget }: PageOptions & { readonly budget: number },
): Promise<OutputPage> {
  const start = clamp(offset, 0, index.scanned, 0);
  const buffer = Buffer.alloc(Math.min(budget + 3, index.scanned - start));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  let from = 0;
  const most = start > 0 ? Math.min(3, bytesRead) : 0;
  while (from < most && ((buffer[from] ?? 0) & 0xc0) === 0x80) from += 1;
  const all = buffer.subarray(from, bytesRead);
  const bytes =
    all.length > budget || start + bytesRead < index.scanned
      ? wholeCharacters(all.subarray(0, Math.max(budget, 8)))
      : all;
  const next = start + from + bytes.length;
  const startLine = await lineAt(file, index, start);
  const endLine = startLine + countNewlines(bytes.at(-1) === 10 ? bytes.subarray(0, -1) : bytes);
  const more = next < index.scanned;
  return {
    text: toText(bytes, { exact }),
    startLine,
    endLine,
    totalLines: countLines(index),
    more,
    ...(more && { nextOffset: next }),
  };
}

function toText(bytes: Uint8Array, { exact }: { readonly exact?: boolean | undefined }): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return exact === true ? text : cleanText(text);
}

function clamp(value: number | undefined, low: number, high: number, fallback: number): number {
  if (value === undefined || Number.isNaN(value)) return Math.max(low, fallback);
  return Math.max(low, Math.min(Math.trunc(value), high));
}

interface Collected {
  readonly bytes: Buffer;
  /** Bytes of the file that they stand for, a last line end included. */
  readonly size: number;
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
  if (lines === 0) {
    const fitting = wholeCharacters(bytes.subarray(0, Math.max(wanted.budget, 8)));
    return { bytes: fitting, size: fitting.length, lines: 1, cut: true };
  }
  const withoutEnd = bytes[end - 1] === 10 ? end - 1 : end;
  return { bytes: bytes.subarray(0, withoutEnd), size: end, lines };
}

/** Without the first bytes of a character whose rest is cut off. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return ((bytes[end - 1] ?? 0) & 0xc0) === 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}
