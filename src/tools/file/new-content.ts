import { ToolValidationError } from "../../contract/errors.js";
import { decodeText } from "../../text/decode-text.js";
import { encodeText } from "../../text/encode-text.js";
import { countOf } from "../../text/line-ends.js";
import { notExact } from "./layer-errors.js";

/** A text to write. */
export interface WantedText {
  readonly path: string;
  readonly content: string;
  /** @default the encoding of the file, else UTF-8 */
  readonly encoding: string | undefined;
  readonly finalNewline: boolean;
}

/** Bytes for a file, and their text encoding; "base64" if they may be binary. */
export interface NewContent {
  readonly data: Uint8Array;
  readonly encoding: string;
}

/** The bytes of a file and their text encoding. */
export interface OldContent {
  readonly bytes: Uint8Array;
  readonly encoding: string;
}

/** The content of a new file as given, or of an existing one with the line ends, byte order mark and encoding that it had. */
export function toOverwrite(wanted: WantedText, before: OldContent | undefined): NewContent {
  const { path, content, finalNewline } = wanted;
  const old =
    before === undefined || before.bytes.length === 0 ? undefined : decodeText(before.bytes, before.encoding);
  const encoding = wanted.encoding ?? old?.encoding ?? "utf8";
  const bom = old?.bom === true && sameEncoding(encoding, old.encoding);
  const given = bom ? content.replace(/^\uFEFF/, "") : content;
  // Only text with plain line feeds takes the line ends of the file; any other says which ones it means.
  const adapts = old !== undefined && !given.includes("\r");
  const newline = adapts ? newlineOf(old.text) : newlineOf(given);
  const isEnded = given === "" || given.endsWith("\n") || (newline === "\r" && given.endsWith("\r"));
  const ended = finalNewline && !isEnded ? given + (adapts ? "\n" : newline) : given;
  const data = encodeText(adapts && newline !== "\n" ? ended.replaceAll("\n", newline) : ended, encoding, {
    bom,
  });
  if (data === undefined) throw notRepresentable(path, encoding);
  return { data, encoding };
}

/** A text to append, in the encoding of the file. */
export function toAppend(
  { path, content, encoding: requested }: WantedText,
  head: OldContent | undefined,
): NewContent {
  const found =
    head === undefined || head.bytes.length === 0 ? "utf8" : decodeText(head.bytes, head.encoding).encoding;
  const encoding = requested ?? found;
  const data = encodeText(content, encoding);
  if (data === undefined) throw notRepresentable(path, encoding);
  return { data, encoding };
}

/** Decode Base64 strictly. */
export function fromBase64(content: string): NewContent {
  const compact = content.replaceAll(/[\t\n\r ]/g, "");
  const data = Buffer.from(compact, "base64");
  const isSame = data.toString("base64").replace(/=+$/, "") === compact.replace(/=+$/, "");
  if (isSame && hasPadding(compact)) return { data, encoding: "base64" };
  throw new ToolValidationError("Invalid Base64 in content.", {
    code: "VALUE_INVALID",
    hint: "Send standard Base64, padded with '=', or omit encoding to write text.",
    details: { argument: "content" },
  });
}

function hasPadding(compact: string): boolean {
  return compact.length % 4 === 0;
}

/** The most frequent line end of a text; a line feed if it has none. */
function newlineOf(text: string): string {
  const pairs = countOf(text, "\r\n");
  const feeds = countOf(text, "\n") - pairs;
  const returns = countOf(text, "\r") - pairs;
  if (pairs + feeds + returns === 0) return "\n";
  if (pairs + feeds === 0) return "\r";
  return pairs > feeds ? "\r\n" : "\n";
}

function sameEncoding(one: string, other: string): boolean {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return plain(one) === plain(other);
}

function notRepresentable(path: string, encoding: string): ToolValidationError {
  return notExact(
    path,
    `the content has characters that ${encoding} cannot represent. Remove them, or pass encoding "utf8" to write it as UTF-8.`,
  );
}
