import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "./redactor.js";
import { isSecretName } from "./secret-names.js";
import { underLoad } from "../../../test/setup/under-load.js";

const { redact } = createRedactor();

describe("isSecretName", () => {
  it.each([
    "API_KEY",
    "apiKey",
    "OPENAI_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "GITHUB_TOKEN",
    "DB_PASSWORD",
    "dbPassword",
    "PGPASSWORD",
    "authorization",
    "Cookie",
    "client-secret",
    "SSH_PRIVATE_KEY",
    "NPM_AUTH",
    "ＡＰＩ_ＫＥＹ",
  ])("says that %s is one", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    "PATH",
    "HOME",
    "PWD",
    "SSH_AUTH_SOCK",
    "KEYBOARD",
    "key",
    "PRIMARY_KEY",
    "max_tokens",
    "author",
    "LANG",
    "monkey",
    "path",
  ])("says that %s is none", (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe("redact", () => {
  it("hides the values of secret-looking fields at any depth", () => {
    const clean = redact({ a: [{ password: "hunter2", user: "ann" }], apiKey: "x" });
    expect(clean).toEqual({ a: [{ password: "[redacted]", user: "ann" }], apiKey: "[redacted]" });
  });

  it.each([
    "AKIAABCDEFGHIJKLMNOP",
    `ghp_${"a".repeat(36)}`,
    `sk-${"b".repeat(40)}`,
    `xoxb-${"1".repeat(20)}`,
    `AIza${"c".repeat(35)}`,
    `eyJ${"d".repeat(20)}.${"e".repeat(20)}.${"f".repeat(20)}`,
    `tnn_${"aZ0-_".repeat(8)}xyz`,
    `xapp-1-${"A1b2".repeat(8)}`,
    `xai-${"aZ09".repeat(12)}`,
    `gsk_${"aZ09".repeat(12)}`,
    `glsa_${"aZ09".repeat(8)}_1a2b3c4d`,
    `hvs.${"aZ0-".repeat(8)}`,
    `whsec_${"aZ0+".repeat(8)}`,
    `dckr_pat_${"aZ0-".repeat(6)}abc`,
    `shpat_${"0a1B".repeat(8)}`,
    `AGE-SECRET-KEY-1${"QPZRY9X8".repeat(7)}QP`,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
  ])("hides the well-known format of %s inside text", (secret) => {
    const clean = redact(`before ${secret} after`);
    expect(clean).not.toContain(secret);
    expect(clean).toMatch(/^before .*after$/s);
  });

  it("hides passwords in addresses, headers and assignments", () => {
    expect(redact("postgres://app:s3cr3t!pw@db/x")).toBe("postgres://app:[redacted]@db/x");
    expect(redact("Authorization: Bearer abcdefghijklmnopqrstuvwxyz")).not.toContain("abcdefghij");
    expect(redact("export DB_PASSWORD=correcthorse")).not.toContain("correcthorse");
  });

  it("leaves ordinary text as it is", () => {
    const text = "const total = items.length; // see https://example.com/a:b — key=value, monkey: banana123";
    expect(redact(text)).toBe(text);
  });

  it("hides values that it was told, wherever they stand", () => {
    const redactor = createRedactor();
    redactor.addKnown("tiger-lily-42");
    expect(redactor.redact({ out: "it is tiger-lily-42!" })).toEqual({ out: "it is [redacted]!" });
  });

  it("never changes the original and returns it where nothing is secret", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const before = JSON.stringify(value);
        redact(value);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
    const harmless = { a: [1, "two", { three: null }] };
    expect(redact(harmless)).toBe(harmless);
  });

  it("stays fast on long hostile text", () => {
    const text = `${"a:".repeat(200_000)}${"eyJ".repeat(50_000)}${"sk-".repeat(50_000)}`;
    const started = performance.now();
    redact(text);
    expect(performance.now() - started).toBeLessThan(underLoad(5000));
  });
});
