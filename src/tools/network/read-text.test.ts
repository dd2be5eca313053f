import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readText } from "./read-text.js";

const latin = Buffer.from("caf\u00e9", "latin1");
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

function read(body: Uint8Array, contentType: string, truncated = false) {
  return readText({ body, contentType, truncated });
}

describe("readText", () => {
  it.each([
    ["the charset of the type", latin, "text/plain; charset=ISO-8859-1", "café"],
    ["a quoted charset", latin, 'text/html; charset="windows-1252"', "café"],
    ["a byte order mark before all", Buffer.from("\uFEFFcafé"), "text/plain; charset=latin1", "café"],
    ["UTF-16 by its mark", utf16("héé"), "text/plain", "héé"],
    [
      "the page's own declaration",
      Buffer.concat([Buffer.from('<meta charset="shift_jis">'), Buffer.from([0x83, 0x65])]),
      "text/html",
      '<meta charset="shift_jis">テ',
    ],
    [
      "the older declaration",
      Buffer.concat([
        Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">'),
        latin,
      ]),
      "text/html",
      '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">café',
    ],
    [
      "the XML declaration",
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?>'), latin]),
      "application/xml",
      '<?xml version="1.0" encoding="ISO-8859-1"?>café',
    ],
    ["UTF-8 where nothing is said", Buffer.from("日本"), "text/plain", "日本"],
    ["Windows-1252 where that is none", latin, "text/plain", "café"],
    ["a charset that nobody knows as none", Buffer.from("é"), "text/plain; charset=klingon", "é"],
    ["JSON of any flavour", Buffer.from("{}"), "application/problem+json", "{}"],
    ["no type, but text", Buffer.from("plain é"), "", "plain é"],
    ["bytes that are text", Buffer.from("plain"), "application/octet-stream", "plain"],
  ])("reads %s", (_name, body, contentType, text) => {
    expect(read(body, contentType)).toEqual({ text, binary: false });
  });

  it.each([
    ["an image", Buffer.from("GIF89a"), "image/gif"],
    ["bytes", Buffer.from([0, 1, 2]), "application/octet-stream"],
    ["bytes without a type", Buffer.from([0xff, 0xd8, 0xff]), ""],
    ["a PDF", Buffer.from("%PDF-1.7"), "application/pdf"],
    ["text with NULs", Buffer.from([65, 0, 66]), "text/plain"],
  ])("takes %s for binary", (_name, body, contentType) => {
    expect(read(body, contentType)).toEqual({ text: body.toString("base64"), binary: true });
  });

  it("does not put half a character at the end of a body that was cut", () => {
    const whole = Buffer.from("a日本");
    expect(read(whole.subarray(0, 6), "text/plain", true)).toEqual({ text: "a日", binary: false });
    expect(read(whole.subarray(0, 6), "", true)).toEqual({ text: "a日", binary: false });
  });

  it("reads any bytes under any type without failing", () => {
    const types = fc.constantFrom(
      "",
      "text/html",
      "text/plain; charset=utf-16",
      "application/json",
      "image/png",
      "text/html; charset=\u0000",
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), types, fc.boolean(), (body, type, truncated) => {
        expect(typeof read(body, type, truncated).text).toBe("string");
      }),
    );
  });
});
