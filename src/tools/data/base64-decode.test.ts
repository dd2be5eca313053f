import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolValidationError } from "../../contract/errors.js";
import { createTestContext } from "../testing/context.js";
import { base64Decode } from "./base64-decode.js";
import { base64Encode } from "./base64-encode.js";
import { randomCases } from "../../../test/setup/random-cases.js";
import { anyCharacter } from "../../../test/setup/any-character.js";

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
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const { encoded } = base64Encode.execute({ text }, context) as { encoded: string };
        expect(decode(encoded)).toBe(text);
      }),
    );
  });

  it("takes only what encoding gives, never a neighbor of it", () => {
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
    ["!!!!", /unexpected "!" at character 1/, /A-Z/],
    ["Zm9v!A==", /at character 5/, /A-Z/],
    ["Zm9 vYmFy", /unexpected " " at character 4/, /whitespace/],
    ["Zm\n9v", /at character 3/, /line breaks/],
    ["Zg==Zg==", /unexpected "=" at character 3/, /end/],
    ["=Zg=", /at character 1/, /end/],
    ["Zg===", /at character 3/, /end/],
    ["Zm9vYg", /length \(6\)/, /append "=="/],
    ["Zm9vYmE", /length \(7\)/, /append "="/],
    ["Zm9vY", /length \(5\)/, /truncated/],
    ["A", /length \(1\)/, /truncated/],
    ["====", /at character/, /end/],
    ["==", /length/, /truncated/],
    ["Zh==", /bits/, /truncated/],
    ["_-8=", /unexpected "_" at character 1/, /URL-safe/],
    ["data:text/plain;base64,Zm9v", /at character 5/, /data URL/],
    ["/w==", /1 bytes are not UTF-8/, /binary/],
    ["7aCA", /not UTF-8/, /binary/],
    ["Wm9v\u200B", /at character 5/, /A-Z/],
  ])("refuses %j", (encoded, message, hint) => {
    const { error } = attempt(encoded);
    expect(error).toBeInstanceOf(ToolValidationError);
    expect(error?.code).toBe("VALUE_INVALID");
    expect(error?.message).toMatch(message);
    expect(error?.hint).toMatch(hint);
  });
});
