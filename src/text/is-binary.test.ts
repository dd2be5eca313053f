import { randomBytes } from "node:crypto";
import { deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { encodeText } from "./encode-text.js";
import { looksBinary } from "./is-binary.js";

const encoded = (text: string, encoding: string, bom = false): Uint8Array =>
  encodeText(text, encoding, { bom }) ?? new Uint8Array();

describe("looksBinary", () => {
  it("knows text in any encoding", () => {
    const texts = [
      new Uint8Array(),
      Buffer.from("plain\n"),
      Buffer.from("grün 文 🙂\n"),
      Buffer.from("\u001B[31mred\u001B[0m\n"),
      encoded("wide\r\ntext\r\n", "utf16le", true),
      encoded("wide\r\ntext\r\n", "utf16be"),
      encoded("日本語のテキストです。これは文章です。", "shift_jis"),
      encoded("Это длинный текст на русском языке", "koi8-r"),
      encoded("a", "utf32le", true),
      Buffer.from("no end of li\u0007ne"),
    ];
    expect(texts.map(looksBinary)).toEqual(texts.map(() => false));
  });

  it("knows what is no text", () => {
    const files = [
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]),
      Buffer.from("\u007FELF\u0002\u0001\u0001\0\0\0", "latin1"),
      Buffer.from("%PDF-1.7\n%text follows\n"),
      Buffer.from("text with a \0 in it"),
      Buffer.from(Int32Array.from([1, 2, 3, 65, 66]).buffer),
      gzipSync("some text ".repeat(200)),
      deflateRawSync(randomBytes(4096)),
      randomBytes(512),
    ];
    expect(files.map(looksBinary)).toEqual(files.map(() => true));
  });
});
