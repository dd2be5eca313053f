import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolValidationError } from "../../contract/errors.js";
import { createTestContext } from "../testing/context.js";
import { base64Decode } from "./base64-decode.js";
import { base64Encode } from "./base64-encode.js";
import { randomCases } from "../../../test/setup/random-cases.js";

const context = createTestContext();

function decode(encoded: string): string {
  return (base64Decode.execute({ encoded }, context) as { decoded: string }).decoded;
}

function attempt(encoded: string): { decoded?: string; error?: ToolValidationError } {
  try {
    return { decoded: decode(encoded) };
  } catch (error) {
    return { error: error as ToolValidationError };
  }
}

describe("base64_decode", () => {
  it("decodes whatever was encoded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { encoded } = base64Encode.execute({ text }, context) as { encoded: string };
        expect(decode(encoded)).toBe(text);
      }),
    );
  });

  it("takes only what encoding gives, never a neighbour of it", () => {
    const unit = fc.constantFrom(...Array.from("ABYZabyz019+/=-_ \n.é"));
    fc.assert(
      fc.property(fc.string({ unit }), (encoded) => {
        const { decoded, error } = attempt(encoded);
        const again = decoded === undefined ? undefined : Buffer.from(decoded, "utf8").toString("base64");
        expect([again, error?.code]).toEqual(
          error === undefined ? [encoded.replaceAll("\n", ""), undefined] : [undefined, "VALUE_INVALID"],
        );
      }),
      { numRuns: randomCases(1_000) },
    );
  });

  it("takes the line breaks of mail and of the base64 command", () => {
    const text = "A long line of text that does not fit into one line of seventy-six characters.";
    const encoded = Buffer.from(text).toString("base64");
    const lines = encoded.match(/.{1,76}/g)!;
    expect(lines.length).toBeGreaterThan(1);
    expect(decode(`${lines.join("\n")}\n`)).toBe(text);
    expect(decode(`${lines.join("\r\n")}\r\n`)).toBe(text);
  });

  it("keeps a byte order mark", () => {
    expect(decode("77u/YQ==")).toBe("\uFEFFa");
  });

  it.each([
    ["!!!!", /Character 1, "!"/, /A-Z/],
    ["Zm9v!A==", /Character 5/, /A-Z/],
    ["Zm9 vYmFy", /Character 4, " "/, /blanks/],
    ["Zm\n9v", /Character 3/, /lines/],
    ["Zg==Zg==", /Character 3, "="/, /end/],
    ["=Zg=", /Character 1/, /end/],
    ["Zg===", /Character 3/, /end/],
    ["Zm9vYg", /length.* 6/, /add "=="/],
    ["Zm9vYmE", /length.* 7/, /add "="/],
    ["Zm9vY", /length.* 5/, /cut/],
    ["A", /length.* 1/, /cut/],
    ["====", /Character/, /end/],
    ["==", /length/, /cut/],
    ["Zh==", /bits/, /cut/],
    ["_-8=", /Character 1, "_"/, /URL-safe/],
    ["data:text/plain;base64,Zm9v", /Character 5/, /data URL/],
    ["/w==", /1 bytes are not UTF-8/, /binary/],
    ["7aCA", /not UTF-8/, /binary/],
    ["Wm9v\u200B", /Character 5/, /A-Z/],
  ])("refuses %j", (encoded, message, hint) => {
    const { error } = attempt(encoded);
    expect(error).toBeInstanceOf(ToolValidationError);
    expect(error?.code).toBe("VALUE_INVALID");
    expect(error?.message).toMatch(message);
    expect(error?.hint).toMatch(hint);
  });
});
