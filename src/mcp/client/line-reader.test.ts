import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineReader } from "./line-reader.js";
import { tooLongAnswer } from "./too-long-answer.js";

describe("reading lines", () => {
  it("gives the same lines wherever the stream is cut, and only the ends of those that are too long", () => {
    const line = fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[\r\n]/g, ""));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 7 })), (lines, cuts) => {
        const seen: string[] = [];
        const reader = createLineReader(60, {
          onLine: (text) => seen.push(text),
          onTooLong: (_, __, bytes) => seen.push(`too long: ${bytes}`),
        });
        let rest = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        for (const cut of cuts) {
          reader.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        reader.push(rest);
        const bytes = lines.map((text) => Buffer.byteLength(text));
        expect(seen).toEqual(
          lines.map((text, at) => ((bytes[at] ?? 0) > 60 ? `too long: ${bytes[at]}` : text.toWellFormed())),
        );
      }),
    );
  });

  it("finds whose answer was too long by its first or its last words, never inside", () => {
    const size = { bytes: 9, limit: 1 };
    expect(tooLongAnswer('{"jsonrpc":"2.0","id":7,"result":{', "}}", size)).toMatchObject({ id: 7 });
    expect(tooLongAnswer('{"result":{"id":1', 'x"},"jsonrpc":"2.0","id":8}', size)).toMatchObject({ id: 8 });
    expect(tooLongAnswer('{"result":{"id":1', '"id":2}}', size)).toBeUndefined();
  });
});
