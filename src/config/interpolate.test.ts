import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasReference, interpolate, unescapeReferences } from "./interpolate.js";

const env = { NAME: "value", EMPTY: "", TRICK: "${NAME} $${NAME}" };

describe("interpolate", () => {
  it.each([
    ["plain", "plain"],
    ["${NAME}", "value"],
    ["a ${NAME} b ${NAME}", "a value b value"],
    ["${EMPTY}", ""],
    ["${EMPTY:-other}", "other"],
    ["${MISSING:-other}", "other"],
    ["${MISSING:-}", ""],
    ["${MISSING:-http://x:80/?a=$b}", "http://x:80/?a=$b"],
    ["${NAME:-other}", "value"],
    ["$${NAME}", "${NAME}"],
    ["$$${NAME}", "$${NAME}"],
    ["$$ $NAME $", "$$ $NAME $"],
    ["${NAME}$${NAME}${NAME}", "value${NAME}value"],
    ["${TRICK}", "${NAME} $${NAME}"],
  ])("turns %j into %j", (text, expected) => {
    expect(interpolate(text, env)).toMatchObject({ ok: true, text: expected });
  });

  it.each(["${", "${NAME", "${}", "${ NAME }", "${1A}", "${A-B}", "${A:-${B}}", "${NAME:?x}"])(
    "refuses %j",
    (text) => {
      expect(interpolate(text, env)).toMatchObject({ ok: false });
    },
  );

  it("names the variable that is missing", () => {
    const result = interpolate("${NOT_THERE}", env);
    expect(result).toMatchObject({ ok: false, message: expect.stringContaining("NOT_THERE") as string });
  });

  it("does not find what every object inherits", () => {
    for (const name of ["constructor", "toString", "__proto__"]) {
      expect(interpolate(`\${${name}}`, {})).toMatchObject({ ok: false });
    }
  });

  it("never looks into what a variable holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("$", "{", "}", "A", ":", "-") }), (value) => {
        expect(interpolate("<${A}>", { A: value })).toMatchObject({ ok: true, text: `<${value}>` });
      }),
    );
  });

  it("gives any text back from its escaped form", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("$", "{", "}", "A") }), (text) => {
        const escaped = text.replaceAll("${", "$$${");
        expect(hasReference(escaped)).toBe(false);
        expect(unescapeReferences(escaped)).toBe(text);
      }),
    );
  });
});
