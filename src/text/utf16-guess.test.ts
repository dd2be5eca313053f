import { describe, expect, it } from "vitest";
import { guessUtf16 } from "./utf16-guess.js";

describe("guessUtf16", () => {
  it("tells the two orders of bytes from each other", () => {
    const text = Buffer.from("plain text", "utf16le");
    expect(guessUtf16(text)).toBe("utf16le");
    expect(guessUtf16(Buffer.from(text).swap16())).toBe("utf16be");
    expect(guessUtf16(Buffer.from("plain text"))).toBeUndefined();
  });

  it("looks at the first 64 KiB, whatever their first half looks like", () => {
    const text = Buffer.from("a".repeat(40_000), "utf16le");
    expect(guessUtf16(text)).toBe("utf16le");
    text.writeUInt16LE(0, 50_000); // a unit of zero is in no text
    expect(guessUtf16(text)).toBeUndefined();
    text.writeUInt16LE(0x61, 50_000);
    text.writeUInt16LE(0, 70_000);
    expect(guessUtf16(text)).toBe("utf16le");
  });
});
