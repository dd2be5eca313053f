import { readSync } from "node:fs";
import { languages } from "../../../syntax/languages/index.js";
import { decodeText } from "../../../text/decode-text.js";
import { detectLanguage, languageOfName } from "../../../text/detect-language.js";
import { looksBinary } from "../../../text/is-binary.js";
import type { FileStat } from "../../../contract/ports/files.js";
import type { Guard } from "../../files/guard-types.js";

/** A file that may hold definitions. */
export interface Source {
  readonly stat: FileStat;
  /** `undefined` where there is nothing to parse: no grammar, binary, minified, too large. */
  readonly language: string | undefined;
  readonly bytes: Uint8Array;
}

/** Larger files are data rather than code. */
const maxSourceBytes = 4 * 1024 * 1024;
const headLength = 4096;

/** Memory that files are read into, one after the other. */
export interface ReadBuffer {
  bytes: Buffer;
}

/** Read a file through the guard if it can contain definitions. Its bytes are valid until the next file is read. */
export function readSource(guard: Guard, path: string, into: ReadBuffer): Source {
  const named = languageOfName(path);
  const file = guard.openRead(path);
  try {
    const { stat } = file;
    const nothing: Source = { stat, language: undefined, bytes: new Uint8Array() };
    if (stat.size > maxSourceBytes || (named !== undefined && !languages.has(named))) return nothing;
    // A file without an extension may be a script: its first bytes tell.
    const wanted = named === undefined ? Math.min(stat.size, headLength) : stat.size;
    const bytes = readExactly(file.fd, wanted, into);
    const head = bytes.subarray(0, headLength);
    if (looksBinary(head)) return nothing;
    const language = detectLanguage(path, head.toString("latin1"));
    if (!languages.has(language)) return nothing;
    const whole = bytes.length < stat.size ? readExactly(file.fd, stat.size, into) : bytes;
    return isMinified(whole) ? nothing : { stat, language, bytes: whole };
  } finally {
    file.close();
  }
}

/** The text of a source file, without a BOM. */
export function decodeSource(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return decodeText(bytes).text;
  }
}

function readExactly(fd: number, size: number, into: ReadBuffer): Buffer {
  if (into.bytes.length < size) into.bytes = Buffer.allocUnsafeSlow(Math.max(size, 2 * into.bytes.length));
  const buffer = into.bytes;
  let filled = 0;
  for (let got = 1; got > 0 && filled < size; filled += got) {
    got = readSync(fd, buffer, filled, size - filled, filled);
  }
  return buffer.subarray(0, filled);
}

const longLine = 5000;

/** Most of a minified file is on very long lines. */
function isMinified(bytes: Uint8Array): boolean {
  if (bytes.length < longLine) return false;
  let long = 0;
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(10, start);
    const end = found === -1 ? bytes.length : found;
    if (end - start > longLine) long += end - start;
    start = end + 1;
  }
  return long * 2 > bytes.length;
}
