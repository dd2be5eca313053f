import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hidePairs } from "./redactor.js";
import { isSecretName } from "./secret-names.js";
import { underLoad } from "../../../test/setup/under-load.js";

const hide = (text: string): string => hidePairs(text, isSecretName);

describe("hidePairs", () => {
  it.each([
    ["password=hunter2hunter2", "password=[redacted]"],
    ["DB_PASSWORD = 'hunter2hunter2'", "DB_PASSWORD = '[redacted]'"],
    ['{"api_key":"abcdefgh12345678","n":1}', '{"api_key":"[redacted]","n":1}'],
    ['{ "clientSecret" : "abcdefgh12345678" }', '{ "clientSecret" : "[redacted]" }'],
    ["a=b=token=abcdefgh12345678", "a=b=token=[redacted]"],
    ["next=/x?y=1&access_token=abcdefgh12345678&z=2", "next=/x?y=1&access_token=[redacted]&z=2"],
    ["secret:abcdefgh,secret:hgfedcba", "secret:[redacted],secret:[redacted]"],
  ])("hides in %j what stands for a secret", (text, clean) => {
    expect(hide(text)).toBe(clean);
  });

  it.each([
    "path=/usr/local/bin/thing",
    "password=short",
    "tokens: 1234567890",
    "=abcdefgh12345678",
    "::::::::::",
  ])("leaves %j as it is", (text) => {
    expect(hide(text)).toBe(text);
  });

  it("never shows a value behind a secret name, wherever it stands", () => {
    const value = fc.stringMatching(/^[A-Za-z0-9/+]{8,40}$/);
    const around = fc.string({ maxLength: 40 });
    fc.assert(
      fc.property(around, value, around, (before, secret, after) => {
        const text = `${before} apiKey=${secret} ${after}`;
        expect(hide(text)).toContain("apiKey=[redacted]");
        expect(hide(text)).not.toContain(`apiKey=${secret}`);
      }),
    );
  });

  it("is not held up by a text of nothing but signs and names", () => {
    for (const piece of ["a:", "=", "password:", `${"a".repeat(81)}=`, 'token="', "secret=x"]) {
      const text = piece.repeat(Math.ceil(100_000 / piece.length));
      const started = performance.now();
      hide(text);
      expect(performance.now() - started).toBeLessThan(underLoad(5000));
    }
  });
});
