import { Ajv } from "ajv";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolDescription } from "../contract/tool.js";
import { createTenon } from "../runtime/create-tenon.js";
import { aiSdkTool, anthropicTool, geminiTool, mcpTool, openAiTool } from "./testing/provider-limits.js";
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
    expect(of("openai-responses")).toEqual({
      type: "function",
      strict: false,
      name: "t",
      description: "Does t.",
      parameters: plain,
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

  const ajv = new Ajv({ strict: false });
  const accepts = {
    openai: ajv.compile(openAiTool),
    "openai-chat": ajv.compile(openAiTool),
    "openai-responses": (tool: unknown) => {
      const { type, strict, ...function_ } = tool as { type: unknown; strict: boolean };
      return accepts.openai({ type, function: strict ? { ...function_, strict } : function_ });
    },
    anthropic: ajv.compile(anthropicTool),
    gemini: ajv.compile(geminiTool),
    mcp: ajv.compile(mcpTool),
    "ai-sdk": ajv.compile(aiSdkTool),
  };
  const refused = (format: (typeof llmFormats)[number], tools: readonly unknown[]): unknown[] =>
    tools.flatMap((tool) => (accepts[format](tool) ? [] : [tool]));

  it.each(llmFormats)("writes every built-in tool within %s' documented limits", async (format) => {
    const tenon = createTenon({ config: { database: ":memory:" } });
    const { tools } = tenon.createSession().toLLMTools(format, { strict: true });
    expect(tools.length).toBeGreaterThan(50);
    expect(refused(format, tools)).toEqual([]);
    await tenon.close();
  });

  it.each(llmFormats)("writes any schema within %s' documented limits", (format) => {
    fc.assert(
      fc.property(anySchema, fc.string({ maxLength: 3000 }), (schema, description) => {
        const tool = { ...describeTool("t", schema), description };
        expect(refused(format, toLLMTools([tool], format).tools)).toEqual([]);
      }),
    );
  });

  it("keeps a property that is called __proto__", () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as Record<
      string,
      unknown
    >;
    for (const format of llmFormats)
      expect(JSON.stringify(toLLMTools([describeTool("t", schema)], format).tools)).toMatch(
        /"__proto__":\{"type"/,
      );
  });

  it("writes strict definitions in which every key is required and nothing else is allowed", () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const [tool] = toLLMTools([describeTool("t", schema)], "openai", { strict: true }).tools;
        const { strict, parameters } = (tool as { function: { strict?: boolean; parameters: unknown } })
          .function;
        if (strict === true) expectStrict(parameters);
      }),
    );
  });

  it("makes optional arguments nullable for strict mode, and takes the nulls away again", () => {
    const schema = {
      type: "object",
      properties: {
        path: { type: "string" },
        limit: { type: "integer", description: "At most." },
        kind: { enum: ["a", "b"] },
        note: { type: ["string", "null"] },
        range: { type: "object", properties: { from: { type: "integer" } } },
      },
      required: ["path"],
    };
    const { tools, argumentsOf } = toLLMTools([describeTool("t", schema)], "openai", { strict: true });
    expect(tools[0]).toMatchObject({
      function: {
        strict: true,
        parameters: {
          required: ["path", "limit", "kind", "note", "range"],
          properties: {
            limit: { type: ["integer", "null"], description: "At most." },
            kind: { anyOf: [{ enum: ["a", "b"] }, { type: "null" }] },
            range: { type: ["object", "null"], required: ["from"], additionalProperties: false },
          },
        },
      },
    });
    const args = { path: "a", limit: null, kind: null, note: null, range: { from: null } };
    expect(argumentsOf("t", args)).toEqual({ path: "a", note: null, range: {} });
  });

  it("leaves a free-form tool out of strict mode instead of refusing all", () => {
    const schema = {
      type: "object",
      properties: { data: {}, map: { type: "object", additionalProperties: true } },
    };
    const [tool] = toLLMTools([describeTool("t", schema)], "openai", { strict: true }).tools;
    expect((tool as { function: object }).function).not.toHaveProperty("strict");
  });

  it("tells choices at the top as one object", () => {
    const schema = {
      anyOf: [
        { type: "object", properties: { path: { type: "string" }, x: {} }, required: ["path", "x"] },
        { $ref: "#/$defs/byId" },
      ],
      $defs: {
        byId: { type: "object", properties: { id: { type: "string" }, x: {} }, required: ["id", "x"] },
      },
    };
    const [tool] = toLLMTools([describeTool("t", schema)], "anthropic").tools;
    expect(tool).toMatchObject({
      input_schema: { type: "object", properties: { path: {}, id: {}, x: {} }, required: ["x"] },
    });
  });

  it("renames arguments that Anthropic refuses, and back", () => {
    const schema = {
      type: "object",
      properties: { "a b": { type: "string" }, $x: { type: "string" }, ok: {} },
      required: ["a b"],
    };
    const { tools, argumentsOf } = toLLMTools([describeTool("t", schema)], "anthropic");
    const { properties, required } = (
      tools[0] as { input_schema: { properties: object; required: string[] } }
    ).input_schema;
    const [first = "", second = "", third = ""] = Object.keys(properties);
    expect([required, third]).toEqual([[first], "ok"]);
    expect(argumentsOf("t", { [first]: 1, [second]: 2, ok: 3 })).toEqual({ "a b": 1, $x: 2, ok: 3 });
  });

  it("does not grow without end where references branch", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `d${at}`,
        {
          type: "object",
          properties: { l: { $ref: `#/$defs/d${at + 1}` }, r: { $ref: `#/$defs/d${at + 1}` } },
        },
      ]),
    );
    const schema = { type: "object", properties: { top: { $ref: "#/$defs/d0" } }, $defs };
    const [tool] = toLLMTools([describeTool("t", schema)], "gemini").tools;
    expect(JSON.stringify(tool).length).toBeLessThan(1_000_000);
    expect(refused("gemini", [tool])).toEqual([]);
  });

  it("keeps names apart though one is called like the hashed form of another", () => {
    const [hashed] = toLLMTools([describeTool("a b")], "openai").tools.map(nameIn);
    const names = [hashed ?? "", "a b"];
    const { tools, toolNameOf } = toLLMTools(
      names.map((name) => describeTool(name)),
      "openai",
    );
    expect(tools.map((tool) => toolNameOf(nameIn(tool)))).toEqual(names);
  });

  it("refuses an unknown format by name", () => {
    expect(() => toLLMTools([], "cohere" as "openai")).toThrow(/cohere.*openai/);
  });
});

/** Schemas as people, generators and strangers write them. */
const { schema: anySchema } = fc.letrec<{ schema: Record<string, unknown>; part: unknown }>((tie) => ({
  schema: fc.record(
    {
      type: fc.constantFrom("object", "string", ["object", "null"]),
      properties: fc.dictionary(
        fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("a", "b")),
        tie("part"),
        {
          maxKeys: 4,
        },
      ),
      required: fc.uniqueArray(fc.constantFrom("a", "b", "c")),
      anyOf: fc.array(tie("schema"), { maxLength: 2 }),
      additionalProperties: fc.boolean(),
      $defs: fc.record({ a: tie("part"), b: tie("part") }),
    },
    { requiredKeys: [] },
  ),
  part: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(
      { type: "string", format: "uri", description: "x" },
      { type: ["integer", "null"], minimum: 1, exclusiveMinimum: 0 },
      { enum: ["a", ""] },
      { enum: [1, 2] },
      { const: "x" },
      { type: "array" },
      { type: "array", prefixItems: [{}] },
      { type: "null" },
      { $ref: "#/$defs/a" },
      { $ref: "#" },
      { $ref: "https://example.com/x" },
      { not: {} },
      {},
      true,
      false,
    ),
    tie("schema"),
    tie("part").map((items) => ({ type: "array", items })),
    fc.array(tie("part"), { maxLength: 3 }).map((oneOf) => ({ oneOf })),
  ),
}));

/** The rules of strict mode, for every object at every depth. */
function expectStrict(schema: unknown): void {
  if (Array.isArray(schema)) {
    for (const item of schema) expectStrict(item);
    return;
  }
  if (typeof schema !== "object" || schema === null) return;
  const own = schema as Record<string, unknown>;
  for (const keyword of ["oneOf", "allOf", "not", "patternProperties", "default"])
    if (typeof own[keyword] === "object") expect(own).not.toHaveProperty(keyword);
  if ([own["type"]].flat().includes("object")) {
    expect(own["additionalProperties"]).toBe(false);
    expect((own["required"] as string[]).toSorted()).toEqual(
      Object.keys(own["properties"] as object).toSorted(),
    );
    for (const property of Object.values(own["properties"] as object)) expectStrict(property);
  }
  for (const keyword of ["items", "anyOf"]) expectStrict(own[keyword]);
  for (const def of Object.values(own["$defs"] ?? {})) expectStrict(def);
}
