import type { CommandOutput } from "../../contract/ports/processes.js";
import { cleanText } from "./clean-text.js";

/** Holds the head and the tail of a stream of bytes in a fixed amount of memory. */
export interface OutputWindow {
  readonly bytes: number;
  push(chunk: Uint8Array): void;
  /** Its content as text, with a note where bytes were left out. */
  read(): CommandOutput;
  /** Like `read`, then start over; an incomplete character at the end is kept for the next time. */
  take(): CommandOutput;
}

/** Create a window for `headBytes` from the start and `tailBytes` from the end. */
export function createOutputWindow(headBytes: number, tailBytes: number): OutputWindow {
  const head = createGrowingBuffer(headBytes);
  let ring: Buffer | undefined;
  let past = 0; // bytes that came after the head was full
  const keepTail = (rest: Uint8Array): void => {
    ring ??= Buffer.allocUnsafe(tailBytes);
    const last = rest.length > tailBytes ? rest.subarray(rest.length - tailBytes) : rest;
    const at = (past + rest.length - last.length) % tailBytes;
    const first = Math.min(last.length, tailBytes - at);
    ring.set(last.subarray(0, first), at);
    if (first < last.length) ring.set(last.subarray(first), 0);
    past += rest.length;
  };
  const tail = (): Buffer => {
    if (ring === undefined) return Buffer.alloc(0);
    if (past <= tailBytes) return ring.subarray(0, past);
    const start = past % tailBytes;
    return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
  };
  const push = (chunk: Uint8Array): void => {
    const taken = head.push(chunk);
    if (taken < chunk.length) keepTail(chunk.subarray(taken));
  };
  const read = (cut: (bytes: Buffer) => Buffer): CommandOutput => {
    const bytes = head.length + past;
    const dropped = Math.max(0, past - tailBytes);
    if (dropped > 0)
      return { text: joinHeadAndTail(head.bytes(), cut(tail()), dropped), bytes, truncated: true };
    return { text: decode(cut(Buffer.concat([head.bytes(), tail()]))), bytes, truncated: false };
  };
  return {
    get bytes() {
      return head.length + past;
    },
    push,
    read: () => read((bytes) => bytes),
    take() {
      const last = past > 0 ? tail() : head.bytes();
      const rest = Buffer.from(last.subarray(trimEnd(last).length));
      const output = read((bytes) => bytes.subarray(0, bytes.length - rest.length));
      head.clear();
      past = 0;
      push(rest);
      return { ...output, bytes: output.bytes - rest.length };
    },
  };
}

/** Both parts are cut at a line end if one is near, else between characters. */
function joinHeadAndTail(head: Buffer, tail: Buffer, dropped: number): string {
  const headEnd = head.lastIndexOf(10);
  const shownHead = headEnd > head.length / 2 ? head.subarray(0, headEnd + 1) : trimEnd(head);
  const tailStart = tail.indexOf(10);
  const shownTail =
    tailStart !== -1 && tailStart < tail.length / 2 ? tail.subarray(tailStart + 1) : trimStart(tail);
  const missing = dropped + (head.length - shownHead.length) + (tail.length - shownTail.length);
  const lineEnd = shownHead.at(-1) === 10 ? "" : "\n";
  return `${decode(shownHead)}${lineEnd}[… ${missing} bytes left out …]\n${decode(shownTail)}`;
}

/** Without an incomplete character at the end. */
function trimEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Without an incomplete character at the start. */
function trimStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

function decode(bytes: Buffer): string {
  return cleanText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
}

interface GrowingBuffer {
  readonly length: number;
  /** Append as much as fits; returns the number of bytes appended. */
  push(chunk: Uint8Array): number;
  bytes(): Buffer;
  clear(): void;
}

/** A buffer that starts small, because most commands write little. */
function createGrowingBuffer(max: number): GrowingBuffer {
  let buffer = Buffer.allocUnsafe(Math.min(max, 1024));
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(chunk) {
      const taken = Math.min(chunk.length, max - length);
      if (taken === 0) return 0;
      if (length + taken > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.min(max, Math.max(buffer.length * 4, length + taken)));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(chunk.subarray(0, taken), length);
      length += taken;
      return taken;
    },
    bytes: () => buffer.subarray(0, length),
    clear() {
      length = 0;
    },
  };
}
