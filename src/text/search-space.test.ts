import { expect, it } from "vitest";
import { decodeText } from "./decode-text.js";
import { encodeText } from "./encode-text.js";
import { createSearchSpace } from "./search-space.js";

const spaceOf = (text: string, encoding = "utf8", bom = false) => {
  const bytes = encodeText(text, encoding, { bom }) ?? new Uint8Array();
  return createSearchSpace(bytes, decodeText(bytes, encoding));
};

it("searches the bytes of UTF-8 behind a BOM, and gives them as strings of bytes", () => {
  for (const bom of [false, true]) {
    const space = spaceOf("aé文\n", "utf8", bom);
    expect([space.isBytes, space.length, space.byteOffset(0), space.byteOffset(3)]).toEqual([
      true,
      7,
      bom ? 3 : 0,
      bom ? 6 : 3,
    ]);
    const packed = space.pack("文");
    const find = space.finder(packed);
    expect([find(0), find(3), find(4), find(7), find(8)]).toEqual([3, 3, -1, -1, -1]);
    expect([space.slice(1, 3), space.packed, space.slice(1, 3)]).toEqual([
      space.pack("é"),
      space.pack("aé文\n"),
      space.pack("é"),
    ]);
    expect(Buffer.from(space.toBytes(packed) ?? []).toString()).toBe("文");
    expect([0, 1, 2, 3].map((at) => space.canCut(packed, at))).toEqual([true, false, false, true]);
    expect([space.pack("plain"), space.isExact(0, 7)]).toEqual(["plain", true]);
  }
});

it("searches the text of other encodings", () => {
  const space = spaceOf("aé\n🙂", "utf16le");
  expect([space.isBytes, space.length, space.byteOffset(2), space.packed, space.pack("é")]).toEqual([
    false,
    5,
    4,
    "aé\n🙂",
    "é",
  ]);
  expect([space.finder("\n")(0), space.finder("\n")(3), space.slice(1, 3)]).toEqual([2, -1, "é\n"]);
  expect([space.canCut("🙂", 0), space.canCut("🙂", 1), space.canCut("🙂", 2), space.isExact(0, 3)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
  expect([space.canCut("\uE000", 0), space.canCut("\uDBFF", 0), space.canCut("\uDFFF", 0)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(space.toBytes("é")).toEqual(Buffer.from([0xe9, 0]));
  expect(spaceOf("é", "latin1").toBytes("文")).toBeUndefined();
});

it("counts line ends between any two places, whatever the length of the lines", () => {
  const texts = [
    "",
    "\n",
    "a\rb\r",
    "a\r\nb\n",
    "x".repeat(300),
    "\n".repeat(100),
    "ab\n".repeat(60),
    `${"y".repeat(90)}\n`.repeat(4),
    "\u0001\u000b\u0009\n\u008a\u010a".repeat(30),
    `${"z\n".repeat(20)}${"w".repeat(200)}\n`,
  ];
  for (const text of texts)
    for (const encoding of ["utf8", "utf16le"]) {
      const space = spaceOf(text, encoding);
      const mark = text.includes("\n") ? "\n" : "\r";
      const [{ length }, step] = [space.packed, Math.max(1, space.length >> 4)];
      for (let start = 0; start <= length; start += step)
        for (let end = start; end <= length; end += 1)
          expect(space.countLineEnds(start, end)).toBe(space.packed.slice(start, end).split(mark).length - 1);
      expect(space.countLineEnds(0, length + 50)).toBe(space.packed.split(mark).length - 1);
    }
});

it("counts wherever the bytes lie in memory", () => {
  const bytes = Buffer.from("ab\ncd\n\n".repeat(40));
  for (let shift = 0; shift < 8; shift += 1) {
    const moved = new Uint8Array(new ArrayBuffer(400), shift, bytes.length);
    moved.set(bytes);
    expect(createSearchSpace(moved, decodeText(moved)).countLineEnds(0, bytes.length)).toBe(120);
  }
});
