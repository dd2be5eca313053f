import * as fc from "fast-check";

const firstSurrogate = 0xd800;
const surrogates = 0x800;

/**
 * Any character of Unicode, as the unit of `fc.string`. Its own `unit: "binary"` takes the same characters, but makes a
 * map of all of them: 0.7 s, and 85 MB that every full garbage collection of the process has to go through afterwards.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(0x10ffff - surrogates)
  .map((n) => String.fromCodePoint(n < firstSurrogate ? n : n + surrogates), numberOf);

/** Thanks to it, `fc.string` also tries words such as `__proto__`, as it does with its own units. */
function numberOf(text: unknown): number {
  const code = typeof text === "string" && /^[^\p{Cs}]$/u.test(text) ? text.codePointAt(0) : undefined;
  if (code === undefined) throw new Error("This is not a character.");
  return code < firstSurrogate ? code : code - surrogates;
}
