import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Ajv as AjvClass } from "ajv";
import { describe, expect, it } from "vitest";
import { checkConfig } from "./check-config.js";
import { configReference } from "./config-reference.js";
import { configJsonSchema } from "./known-keys.js";

const published = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("the published schema", () => {
  const { Ajv } = createRequire(import.meta.url)("ajv") as { Ajv: typeof AjvClass };
  const isValid = new Ajv({ strict: false }).compile(configJsonSchema());

  it("is up to date (else run: node scripts/config-schema.mjs)", () => {
    expect(JSON.parse(published("config.schema.json"))).toEqual(
      JSON.parse(JSON.stringify(configJsonSchema())),
    );
  });

  it("is the list in the documentation", () => {
    expect(published("docs/reference/configuration.md")).toContain(
      `\n${configReference(configJsonSchema())}\n`,
    );
  });

  it("describes every key", () => {
    const bare = configReference(configJsonSchema())
      .split("\n")
      .filter((row) => row.trimEnd().endsWith("):"));
    expect(bare).toEqual([]);
  });

  it.each<[unknown]>([
    [{}],
    [{ mode: "auto", tools: { timeout: 5, mcpServers: [{ name: "a", url: "http://x" }] } }],
    [{ mcpServers: { a: { command: "x", env: { A: "b" } }, b: { url: "https://x", type: "sse" } } }],
    [
      {
        policy: {
          rules: [{ decision: "deny", tool: ["a", "b"], match: [{ tool: "a", arguments: { x: 1 } }] }],
        },
      },
    ],
    [{ capabilities: { a: ["b"] }, toolsets: { x: ["a*", { category: "file" }, { readOnly: true }] } }],
    [{ mode: "atuo" }],
    [{ tools: { timout: 5 } }],
    [{ tools: { timeout: -5 } }],
    [{ tools: { timeout: 2 ** 31 } }],
    [{ mcpServers: { a: {} } }],
    [{ mcpServers: { "a b": { url: "http://x" } } }],
    [{ policy: { rules: [{ tool: "a" }] } }],
    [{ files: { forbiddenPaths: ["!a"] } }],
    [{ database: "mysql://x" }],
  ])("judges %j as the loader does", (config) => {
    expect(isValid(config)).toBe(checkConfig(config).length === 0);
  });
});
