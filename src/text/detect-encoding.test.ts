import { describe, expect, it } from "vitest";
import { beginsWith, bomOf, detectEncoding, readBom } from "./detect-encoding.js";

describe("a byte order mark", () => {
  const marks: [string, number[]][] = [
    ["utf8", [0xef, 0xbb, 0xbf]],
    ["utf32le", [0xff, 0xfe, 0, 0]],
    ["utf32be", [0, 0, 0xfe, 0xff]],
    ["utf16le", [0xff, 0xfe]],
    ["utf16be", [0xfe, 0xff]],
    ["gb18030", [0x84, 0x31, 0x95, 0x33]],
  ];

  it.each(marks)("names %s", (encoding, mark) => {
    const bytes = Uint8Array.from([...mark, 65, 66]);
    expect(readBom(bytes)).toMatchObject({ encoding, length: mark.length });
    expect(readBom(bytes, encoding)?.encoding).toBe(encoding);
    expect([...(bomOf(encoding) ?? [])]).toEqual(mark);
    for (let length = 0; length < mark.length; length++)
      expect(readBom(bytes.subarray(0, length))?.encoding).not.toBe(encoding);
  });

  it("is one of the wanted encoding only", () => {
    const bytes = Uint8Array.from([0xff, 0xfe, 0, 0]);
    expect(readBom(bytes, "utf16")).toMatchObject({ encoding: "utf16le", length: 2 });
    expect(readBom(bytes, "utf8")).toBeUndefined();
    expect(readBom(Uint8Array.of(65))).toBeUndefined();
    expect(bomOf("latin1")).toBeUndefined();
  });

  it("is whole or none", () => {
    expect(beginsWith(Uint8Array.of(1, 2, 3), [1, 2])).toBe(true);
    expect(beginsWith(Uint8Array.of(1), [1, 2])).toBe(false);
    expect(beginsWith(Uint8Array.of(1, 3), [1, 2])).toBe(false);
    expect(beginsWith(Uint8Array.of(), [])).toBe(true);
  });
});

describe("detectEncoding", () => {
  const detect = (...parts: (string | number[])[]) =>
    detectEncoding(Buffer.concat(parts.map((part) => Buffer.from(part as string))));

  it("takes bytes that are valid UTF-8 for that, but for Japanese in escapes", () => {
    expect(detect("plain")).toBe("utf8");
    expect(detect("Größe")).toBe("utf8");
    expect(detect("")).toBe("utf8");
    expect(detect('\u001B$B$"\u001B(B')).toBe("iso-2022-jp");
    expect(detect('\u001B$@$"\u001B(J')).toBe("iso-2022-jp");
    // A color of a terminal is an escape too, and one that closes before another opens is no pair.
    expect(detect("\u001B[31mred\u001B[0m")).toBe("utf8");
    expect(detect("\u001B$B never closed")).toBe("utf8");
    expect(detect("\u001B(B first \u001B$B")).toBe("utf8");
  });

  it("takes zeros for UTF-16 only where they stand as there", () => {
    expect(detectEncoding(Buffer.from("plain words\n", "utf16le"))).toBe("utf16le");
    expect(detectEncoding(Buffer.from("plain words\n", "utf16le").swap16())).toBe("utf16be");
    expect(detect("one \u0000 in a long line of words that are plain")).toBe("utf8");
  });

  const [good, bad] = ["é", [0xe9]];
  const times = (count: number, part: string | number[]) =>
    Array.from({ length: count }, () => ["x", part, "x"]).flat();

  it("takes a few broken bytes for a wound where at least one run in three is whole", () => {
    expect(detect(...times(1, good), ...times(2, bad))).toBe("utf8");
    expect(detect(...times(1, good), ...times(3, bad))).not.toBe("utf8");
    expect(detect(...times(4, good), ...times(8, bad))).toBe("utf8");
    expect(detect(...times(4, good), ...times(9, bad))).not.toBe("utf8");
    expect(detect(...times(1, bad))).not.toBe("utf8");
  });

  it("takes one long run for UTF-8 where few of its bytes are broken", () => {
    const run = (goods: number, bads: number) => [
      "x",
      "é".repeat(goods),
      Array<number>(bads).fill(0xff),
      "x",
    ];
    // Twelve good bytes, and eight for each that is broken.
    expect(detect(...run(6, 1))).toBe("utf8");
    expect(detect(...run(5, 1))).not.toBe("utf8");
    expect(detect(...run(8, 2))).toBe("utf8");
    expect(detect(...run(7, 2))).not.toBe("utf8");
  });

  it("knows a character that is cut off at the end for a wound", () => {
    expect(detect("é".repeat(8), [0xe2, 0x82])).toBe("utf8");
  });
});
