import path from "node:path";
import { windowsNameFault } from "./windows-names.js";

/** Limits of Linux and macOS; Windows is stricter only where long paths are off. */
const MAX_PATH_BYTES = 4095;
const MAX_NAME_BYTES = 255;

/** What is wrong with the text of a path, or `undefined`. Does not access the disk. */
export function pathTextFault(text: unknown, platform: NodeJS.Platform): string | undefined {
  if (typeof text !== "string") return "is not a string";
  if (text === "") return "is empty";
  if (text.includes("\0")) return "contains a NUL character";
  if (hasControlCharacter(text)) return "contains a control character";
  if (!text.isWellFormed()) return "contains half a character (a lone surrogate)";
  const tooLong = lengthFault(text);
  if (tooLong !== undefined) return tooLong;
  return platform === "win32" ? windowsNameFault(text) : undefined;
}

/** Whether an absolute path is longer than the system can take. */
export function isTooLong(absolute: string): boolean {
  return absolute.length * 3 > MAX_PATH_BYTES && Buffer.byteLength(absolute) > MAX_PATH_BYTES;
}

/** Whether the text names the parent directory anywhere. */
export function hasParentSegment(text: string, platform: NodeJS.Platform): boolean {
  return text.includes("..") && splitPath(text, platform).includes("..");
}

/** Whether `inner` is `outer` or below it, compared by whole components. */
export function isWithin(inner: string, outer: string): boolean {
  if (inner === outer) return true;
  if (outer.endsWith(path.sep)) return inner.startsWith(outer);
  return inner.startsWith(outer) && inner[outer.length] === path.sep;
}

/** The part of `inner` below `outer`, without a leading separator; `inner` must lie within `outer`. */
export function relativeTo(inner: string, outer: string): string {
  return inner.slice(outer.endsWith(path.sep) ? outer.length : outer.length + 1);
}

/** The components of a path, empty ones dropped. */
export function splitPath(text: string, platform: NodeJS.Platform): string[] {
  return text.split(platform === "win32" ? /[\\/]/ : "/").filter((name) => name !== "");
}

/** Join a directory and a name as text, without normalising. */
export function joinName(directory: string, name: string): string {
  return directory.endsWith(path.sep) ? directory + name : directory + path.sep + name;
}

/** The same as `path.resolve` for an absolute directory; a plain relative path, as most are, is only appended. */
export function resolveIn(directory: string, text: string): string {
  if (path.sep !== "/" || NOT_PLAIN.test(text)) return path.resolve(directory, text);
  return joinName(directory, text);
}

/** Absolute paths, empty names and names that begin with a dot. */
const NOT_PLAIN = /^[./]|\/[./]|\/$|^$/;

/** Show a name on one line, with control characters and invalid UTF-8 escaped. */
export function showName(name: Buffer): string {
  const text = name.toString("utf8");
  if (text.includes("\uFFFD") && !Buffer.from(text, "utf8").equals(name)) return escapeBytes(name);
  return hasControlCharacter(text) ? escapeControls(text) : text;
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

function hasControlCharacter(text: string): boolean {
  return CONTROL.test(text);
}

function lengthFault(text: string): string | undefined {
  // A character takes at most three bytes per UTF-16 unit, so short texts need no counting.
  if (text.length * 3 <= MAX_NAME_BYTES) return undefined;
  if (Buffer.byteLength(text) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`;
  const long = text.split("/").some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
  return long ? `contains a name longer than ${MAX_NAME_BYTES} bytes` : undefined;
}

function escapeControls(text: string): string {
  return Array.from(text, (char) => (CONTROL.test(char) ? hexEscape(char.codePointAt(0) ?? 0) : char)).join(
    "",
  );
}

/** Keeps what decodes, writes every other byte as `\xNN`. */
function escapeBytes(name: Buffer): string {
  let shown = "";
  let at = 0;
  while (at < name.length) {
    const length = sequenceLength(name, at);
    const part = name.subarray(at, at + Math.max(length, 1));
    shown += length === 0 ? hexEscape(part[0] ?? 0) : escapeControls(part.toString("utf8"));
    at += part.length;
  }
  return shown;
}

/** Length of the valid UTF-8 sequence at `at`, or 0. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (const length of [1, 2, 3, 4]) {
    const part = bytes.subarray(at, at + length);
    if (part.length === length && Buffer.from(part.toString("utf8"), "utf8").equals(part)) return length;
  }
  return 0;
}

function hexEscape(code: number): string {
  return `\\x${code.toString(16).padStart(2, "0")}`;
}
