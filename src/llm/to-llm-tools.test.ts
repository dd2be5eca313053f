import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolDescription } from "../contract/tool.js";
import { llmFormats, toLLMTools } from "./to-llm-tools.js";

const describeTool = (
  name: string,
  inputSchema: Record<string, unknown> = { type: "object", properties: {} },
): ToolDescription => ({
  name,
  version: "1.0.0",
  description: `Does ${name}.`,
  category: "custom",
  aliases: [],
  annotations: { readOnly: true },
  inputSchema,
});

/** Where each dialect keeps the name. */
const nameIn = (tool: Readonly<Record<string, unknown>>): string =>
  (tool["name"] as string | undefined) ?? (tool["function"] as { name: string }).name;

describe("toLLMTools", () => {
  it.each(llmFormats)("gives %s names that are legal, unique and lead back", (format) => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 100 }), { maxLength: 20 }), (names) => {
        const { tools, toolNameOf } = toLLMTools(
          names.map((name) => describeTool(name)),
          format,
        );
        const legal = tools.map(nameIn);
        expect(legal.every((name) => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))).toBe(true);
        expect(legal.map((name) => toolNameOf(name))).toEqual(names);
      }),
    );
  });

  it("keeps a legal name, and writes server:tool as server__tool", () => {
    const { tools } = toLLMTools(
      [describeTool("read_file"), describeTool("git:status"), describeTool("git__status")],
      "anthropic",
    );
    expect(tools.map(nameIn)).toEqual([
      "read_file",
      "git__status",
      expect.stringMatching(/^git__status_[0-9a-f]{8}$/),
    ]);
  });

  it("puts the schema where each provider looks for it", () => {
    const schema = {
      $schema: "x",
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    };
    const { $schema: _, ...plain } = schema;
    const of = (format: (typeof llmFormats)[number]) =>
      toLLMTools([describeTool("t", schema)], format).tools[0];
    expect(of("openai")).toEqual({
      type: "function",
      function: { name: "t", description: "Does t.", parameters: plain },
    });
    expect(of("anthropic")).toEqual({ name: "t", description: "Does t.", input_schema: plain });
    expect(of("gemini")).toEqual({
      name: "t",
      description: "Does t.",
      parameters: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    });
    expect(of("mcp")).toMatchObject({
      name: "t",
      inputSchema: schema,
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
    expect(of("ai-sdk")).toMatchObject({ type: "function", name: "t", inputSchema: plain });
  });

  it("says for Gemini what its subset can say", () => {
    const schema = {
      type: "object",
      properties: {
        kind: { const: "x" },
        maybe: { type: ["string", "null"], format: "uri" },
        either: { oneOf: [{ type: "string" }, { type: "integer" }] },
        node: { $ref: "#/$defs/node" },
        __proto__x: {
          type: "object",
          additionalProperties: { type: "string" },
          propertyNames: { pattern: "x" },
        },
      },
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
    };
    const { parameters } = toLLMTools([describeTool("t", schema)], "gemini").tools[0] as {
      parameters: unknown;
    };
    expect(parameters).toMatchObject({
      properties: {
        kind: { type: "string", enum: ["x"] },
        maybe: { type: "string", nullable: true },
        either: { anyOf: [{ type: "string" }, { type: "integer" }] },
        node: { type: "object", properties: { next: { type: "object" } } },
        __proto__x: { type: "object" },
      },
    });
    expect(JSON.stringify(parameters)).not.toMatch(/\$ref|additionalProperties|propertyNames|uri/);
  });

  it("refuses an unknown format by name", () => {
    expect(() => toLLMTools([], "cohere" as "openai")).toThrow(/cohere.*openai/);
  });
});
