import { bomOf } from "./detect-encoding.js";
import { requireEncoding, type Encoding } from "./encoding-names.js";
import { loadIconv } from "./libraries.js";

export interface EncodeOptions {
  /** Begin with the encoding's byte order mark, where it has one. @default false */
  readonly bom?: boolean;
}

/** Encode a whole text; `undefined` where a character cannot be written in the encoding. */
export function encodeText(
  text: string,
  encoding = "utf8",
  options: EncodeOptions = {},
): Uint8Array | undefined {
  const chosen = requireEncoding(encoding === "auto" ? "utf8" : encoding);
  const body = encodeFragment(text, chosen);
  const bom = options.bom === true ? bomOf(chosen.name) : undefined;
  return body === undefined || bom === undefined ? body : Buffer.concat([bom, body]);
}

/** Encode a part of a text, without any mark before it. */
export function encodeFragment(text: string, { name, family }: Encoding): Uint8Array | undefined {
  if (!text.isWellFormed()) return undefined;
  if (family === "utf8") return Buffer.from(text, "utf8");
  if (name === "utf16le") return Buffer.from(text, "utf16le");
  if (name === "utf16be") return Buffer.from(text, "utf16le").swap16();
  // Their escape sequences depend on the text before the fragment.
  if (family === "stateful") return undefined;
  const iconv = loadIconv();
  const bytes = iconv.encode(text, name, { addBOM: false });
  // What has no code became a question mark, which reads as another text.
  return iconv.decode(bytes, name, { stripBOM: false }) === text ? bytes : undefined;
}
