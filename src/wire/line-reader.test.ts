import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineReader } from "./line-reader.js";

describe("reading lines", () => {
  it("gives the same lines wherever the stream is cut, and only the ends of oversized ones", () => {
    const line = fc.string({ minLength: 1, maxLength: 40 }).map((text) => text.replaceAll(/[\r\n]/g, ""));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 7 })), (lines, cuts) => {
        const seen: string[] = [];
        const reader = new LineReader(60, {
          onLine: (text) => seen.push(text),
          onTooLong: ({ bytes }) => seen.push(`too long: ${bytes}`),
        });
        let rest = Buffer.from(lines.join("\n"));
        for (const cut of cuts) {
          reader.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        reader.push(rest);
        reader.end();
        const expected = lines.flatMap((text) => {
          const bytes = Buffer.byteLength(text);
          if (bytes > 60) return [`too long: ${bytes}`];
          return text.trim() === "" ? [] : [text.toWellFormed()];
        });
        expect(seen).toEqual(expected);
      }),
    );
  });

  it("keeps the first and last 512 bytes of an oversized line, and drops the carriage return of others", () => {
    const seen: unknown[] = [];
    const reader = new LineReader(1000, {
      onLine: (line) => seen.push(line),
      onTooLong: (line) => seen.push(line),
    });
    reader.push(Buffer.from(`a\r\n${"h".repeat(900)}`));
    reader.push(Buffer.from(`${"m".repeat(5000)}${"t".repeat(600)}\n\r\nb\r\n`));
    expect(seen).toEqual(["a", { head: "h".repeat(512), tail: "t".repeat(512), bytes: 6500 }, "b"]);
  });
});
