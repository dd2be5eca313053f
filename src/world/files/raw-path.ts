import { isUtf8 } from "node:buffer";

/**
 * Before a name that is not valid UTF-8, whose bytes follow in hexadecimal digits: so every path is a text that can be
 * compared, stored and turned back into the very same path. The character is none that names use.
 */
const mark = "\uFFFF";
const slash = Buffer.from("/");

/** A path as text, whatever its bytes. */
export function toPathText(path: Buffer): string {
  const text = path.toString();
  if (isUtf8(path) && !text.includes(mark)) return text;
  const names = path.toString("latin1").split("/");
  return names.map((name) => toNameText(Buffer.from(name, "latin1"))).join("/");
}

function toNameText(name: Buffer): string {
  const text = name.toString();
  return isUtf8(name) && !text.includes(mark) ? text : `${mark}${name.toString("hex")}`;
}

/** The path that a text stands for, as an argument for node:fs. */
export function toSystemPath(text: string): string | Buffer {
  if (!text.includes(mark)) return text;
  return Buffer.concat(text.split("/").flatMap((name, at) => [...(at === 0 ? [] : [slash]), toBytes(name)]));
}

/** A text that no path becomes, such as one with a slash in its bytes, stands for itself. */
function toBytes(name: string): Buffer {
  const literal = Buffer.from(name);
  if (!name.startsWith(mark)) return literal;
  const bytes = Buffer.from(name.slice(mark.length), "hex");
  const isName = !bytes.includes("/") && !bytes.includes(0) && toNameText(bytes) === name;
  return isName ? bytes : literal;
}

/** The text to show a person: bytes that are not valid UTF-8 become U+FFFD. */
export function toShownPath(text: string): string {
  return text.includes(mark) ? toSystemPath(text).toString() : text;
}
