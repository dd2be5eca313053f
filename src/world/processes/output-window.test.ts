import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOutputWindow } from "./output-window.js";

function fill(chunks: readonly Uint8Array[], head = 40, tail = 40) {
  const window = createOutputWindow(head, tail);
  for (const chunk of chunks) window.push(chunk);
  return window;
}
const cut = (bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] => {
  const chunks: Uint8Array[] = [];
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = 1 + (sizes[index % Math.max(1, sizes.length)] ?? 7);
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
};
const sizes = fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 8 });

describe("an output window", () => {
  it("holds all of a small output, however it is cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "é", "漢", "🎉", "\n"), { maxLength: 18 }),
        sizes,
        (characters, at) => {
          const text = characters.join("");
          const { text: read, bytes, truncated } = fill(cut(Buffer.from(text), at)).read();
          expect({ read, bytes, truncated }).toEqual({
            read: text,
            bytes: Buffer.byteLength(text),
            truncated: false,
          });
        },
      ),
    );
  });

  it("holds the head and the tail of a large one, whole characters only, and counts the rest", () => {
    const characters = fc.array(fc.constantFrom("a", "é", "漢", "🎉"), { minLength: 100, maxLength: 300 });
    fc.assert(
      fc.property(characters, sizes, (list, at) => {
        const text = list.join("");
        const { text: read, bytes, truncated } = fill(cut(Buffer.from(text), at)).read();
        expect(truncated).toBe(true);
        expect(bytes).toBe(Buffer.byteLength(text));
        const [head = "", missing = "", tail = ""] = read.split(/\n\[… (\d+) bytes left out …\]\n/);
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        expect(read).not.toContain("\uFFFD");
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + Number(missing)).toBe(bytes);
      }),
    );
  });

  it("gives what came since it was last taken, and never half a character", () => {
    const characters = fc.array(fc.constantFrom("a", "é", "漢", "🎉"), { maxLength: 60 });
    fc.assert(
      fc.property(characters, sizes, (list, at) => {
        const text = list.join("");
        const window = createOutputWindow(1000, 1000);
        let read = "";
        for (const chunk of cut(Buffer.from(text), at)) {
          window.push(chunk);
          read += window.take().text;
        }
        expect(read).toBe(text);
      }),
    );
  });

  it("cuts at line ends where they are near", () => {
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at}\n`).join("");
    expect(fill([Buffer.from(lines)]).read().text).toMatch(
      /^(line \d\n)+\[… \d+ bytes left out …\]\n(line \d+\n)+$/,
    );
  });
});
