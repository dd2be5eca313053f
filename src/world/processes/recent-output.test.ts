import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRecentOutput } from "./recent-output.js";
import { anyCharacter } from "../../../test/setup/any-character.js";

describe("the recent output of a job", () => {
  it("is read piece by piece without loss or repetition, whatever the chunks", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 200 }),
        fc.array(fc.nat(30), { maxLength: 20 }),
        (text, cuts) => {
          const bytes = Buffer.from(text.toWellFormed());
          const output = createRecentOutput(10_000);
          let [at, read, since] = [0, "", 0];
          for (const cut of [...cuts, bytes.length]) {
            output.push(bytes.subarray(at, at + cut));
            at = Math.min(at + cut, bytes.length);
            const part = output.read(since);
            expect(part.from).toBe(since);
            read += part.text;
            since = part.next;
          }
          expect(read).toBe(text.toWellFormed());
        },
      ),
    );
  });

  it("keeps a bounded part of a flood, and says where it starts", () => {
    const output = createRecentOutput(1000);
    for (let at = 0; at < 10_000; at++) output.push(Buffer.from(`${at}\n`));
    const part = output.read(0);
    expect(part.text.length).toBe(1000);
    expect(part.text.endsWith("9999\n")).toBe(true);
    expect(part.next - part.from).toBe(1000);
    expect(output.read(part.next)).toEqual({ text: "", from: part.next, next: part.next });
    expect(output.read(Number.MAX_SAFE_INTEGER).text).toBe("");
  });
});
