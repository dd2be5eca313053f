import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findJsonFault } from "./read-json.js";
import { parseJson } from "./parse-json.js";
import { randomCases } from "../../test/setup/random-cases.js";

function faultOf(text: string) {
  const parsed = parseJson(text);
  if (parsed.ok) throw new Error("It was parsed.");
  return parsed;
}

describe("parseJson", () => {
  it("parses what JSON.parse parses, to the same value", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2), (text, indent) => {
        const value: unknown = JSON.parse(text);
        fc.pre(!text.includes("__proto__"));
        const written = JSON.stringify(value, undefined, indent);
        const parsed = parseJson(written);
        fc.pre(parsed.ok || !parsed.message.includes("surrogate"));
        expect(parsed).toEqual({ ok: true, value: JSON.parse(written) as unknown });
      }),
    );
  });

  it("agrees with JSON.parse on what is JSON, and finds a place in every text that is not", () => {
    const pieces = fc.constantFrom(
      ...Array.from("{}[]:,\"'\\ \n\t\u0001-+.eE019atrufalsn\u005cu00e9"),
      "true",
      "null",
      '"a"',
      "1.5e3",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
        const text = parts.join("");
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        const fault = findJsonFault(text);
        expect(fault === undefined).toBe(valid);
        if (fault === undefined) return;
        expect(fault.position).toBeGreaterThanOrEqual(0);
        expect(fault.position).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: randomCases(3000) },
    );
  });

  it("points to the character that the fault begins with", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, cut) => {
        const head = text.slice(0, cut % text.length);
        const fault = findJsonFault(head);
        if (fault === undefined) return;
        // A text that was only cut short is at fault at its end (or in a word or number that it cuts).
        expect(fault.position).toBeGreaterThanOrEqual(Math.max(0, head.length - 6));
      }),
    );
  });

  it("says line, column and position", () => {
    expect(faultOf('{\n  "a": 1,\n  b: 2\n}')).toMatchObject({ line: 3, column: 3, position: 14 });
    expect(faultOf('{\r\n"a": x}')).toMatchObject({ line: 2, column: 6 });
    expect(faultOf('{"a": 1,}')).toMatchObject({ line: 1, column: 9 });
    expect(faultOf("")).toMatchObject({ line: 1, column: 1, position: 0 });
    expect(faultOf("[1,\n2")).toMatchObject({ line: 2, column: 2, position: 5 });
    expect(faultOf('["abc')).toMatchObject({ line: 1, column: 6, position: 5 });
    expect(faultOf("[1] x")).toMatchObject({ line: 1, column: 5 });
    expect(faultOf("[01]")).toMatchObject({ line: 1, column: 3 });
  });

  it("says what it expected", () => {
    expect(faultOf("").message).toMatch(/empty/);
    expect(faultOf("{'a':1}").message).toMatch(/double quotes/);
    expect(faultOf('{"a" 1}').message).toMatch(/":"/);
    expect(faultOf('{"a":1').message).toMatch(/Unexpected end.*"," or "}"/);
    expect(faultOf('["a\nb"]').message).toMatch(/U\+000A/);
    expect(faultOf('"\\x"').message).toMatch(/escape/);
    expect(faultOf("\ufeff{}").message).toMatch(/U\+FEFF/);
    expect(faultOf("undefined").message).toMatch(/expected a value/);
  });

  it("refuses depth, size and number before anything is built", () => {
    expect(faultOf("[".repeat(100_000) + "]".repeat(100_000)).message).toMatch(/deeper than 64/);
    expect(faultOf('{"a":'.repeat(100_000)).message).toMatch(/deeper than 64/);
    expect(faultOf(`[${"0,".repeat(1_000_000)}0]`).message).toMatch(/values/);
    expect(faultOf(`"${"x".repeat(30 * 1024 * 1024)}"`).message).toMatch(/longer/);
    expect(parseJson("[".repeat(64) + "]".repeat(64)).ok).toBe(true);
  });

  it("does not take brackets inside strings for depth", () => {
    const text = JSON.stringify({ a: `\\"${"[{".repeat(200)}\\` });
    expect(parseJson(text).ok).toBe(true);
  });

  it("refuses forbidden keys however they are written", () => {
    expect(faultOf('{"a":1,"__proto__":{}}')).toMatchObject({ position: 7 });
    expect(parseJson('{"\\u005f_proto__":{}}').ok).toBe(false);
    expect(parseJson('{"constructor":{"prototype":{}}}').ok).toBe(false);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("refuses numbers that become infinite and broken text", () => {
    expect(faultOf('{"a":1e999}').message).toMatch(/finite/);
    expect(faultOf('{"a":"\\ud800"}').message).toMatch(/surrogate/);
  });
});
