import { decodeOpaque, decodeSingleByte, decodeUtf16 } from "./decode-fixed.js";
import { decodeMultiByte, decodeWhole } from "./decode-multi-byte.js";
import { decodeUtf8 } from "./decode-utf8.js";
import type { DecodedText, Decoding } from "./decoded-text.js";
import { detectEncoding, readBom } from "./detect-encoding.js";
import { encodeFragment } from "./encode-text.js";
import { requireEncoding, type Encoding, type EncodingFamily } from "./encoding-names.js";
import { loadIconv } from "./libraries.js";
import { lineEndingOf } from "./line-ends.js";

/** Read bytes as text, such that every character can be found again in the bytes. */
export function decodeText(bytes: Uint8Array, encoding = "auto"): DecodedText {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { chosen, bomLength } = chooseEncoding(whole, encoding);
  const body = whole.subarray(bomLength);
  let made: Decoding | undefined;
  let lineEnding: DecodedText["lineEnding"] | undefined;
  const decoding = (): Decoding => (made ??= decoders[chosen.family](body, chosen.name));
  return {
    encoding: chosen.name,
    bom: bomLength > 0,
    get text() {
      return decoding().text;
    },
    get lineEnding() {
      return (lineEnding ??= lineEndingOf(decoding().text));
    },
    byteOffset: (index) => bomLength + decoding().byteOffset(index),
    encode: (fragment) => encodeFragment(fragment, chosen),
    isExact: (start, end) => decoding().isExact(start, end),
  };
}

function chooseEncoding(bytes: Buffer, asked: string): { chosen: Encoding; bomLength: number } {
  if (asked === "auto") {
    const bom = readBom(bytes);
    const name = bom?.encoding ?? detectEncoding(bytes);
    return { chosen: requireEncoding(name), bomLength: bom?.length ?? 0 };
  }
  const chosen = requireEncoding(asked);
  // For UTF-16 of either order the mark knows better than the caller.
  const bom = readBom(bytes, chosen.family === "utf16" ? "utf16" : chosen.name);
  return bom === undefined
    ? { chosen, bomLength: 0 }
    : { chosen: requireEncoding(bom.encoding), bomLength: bom.length };
}

const decoders: Readonly<Record<EncodingFamily, (bytes: Buffer, name: string) => Decoding>> = {
  utf8: decodeUtf8,
  utf16: decodeUtf16,
  single: decodeSingleByte,
  multi: decodeMultiByte,
  whole: decodeWhole,
  stateful: (bytes, name) => decodeOpaque(readStateful(bytes, name), bytes.length),
};

function readStateful(bytes: Buffer, name: string): string {
  if (name === "iso-2022-jp") return new TextDecoder(name).decode(bytes);
  return loadIconv().decode(bytes, name);
}
