import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../contract/json.js";
import type { ToolDescription } from "../contract/tool.js";
import { anthropicTool, geminiTool, openAiTool } from "./testing/provider-limits.js";
import { toLLMTools, type LLMFormat, type LLMToolsOptions } from "./to-llm-tools.js";

const node = {
  type: "object",
  properties: {
    name: { type: "string" },
    children: { type: "array", items: { $ref: "#/$defs/Node" } },
  },
  required: ["name"],
};

/** Schemas as people and MCP servers write them. */
const schemas: Readonly<Record<string, JsonSchema>> = {
  recursive: {
    type: "object",
    properties: { tree: { $ref: "#/$defs/Node", description: "The root." } },
    required: ["tree"],
    $defs: { Node: node },
  },
  "recursive at the top": {
    type: "object",
    properties: { name: { type: "string" }, next: { $ref: "#" } },
    required: ["name"],
  },
  "a reference at the top": {
    $ref: "#/definitions/Args",
    definitions: {
      Args: { type: "object", properties: { color: { $ref: "#/definitions/Color" } }, required: ["color"] },
      Color: { enum: ["red", "green"] },
    },
  },
  "allOf around a reference": {
    type: "object",
    properties: { user: { allOf: [{ $ref: "#/definitions/User" }], description: "Who.", title: "User" } },
    required: ["user"],
    definitions: { User: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } },
  },
  "allOf of objects": {
    type: "object",
    properties: {
      both: {
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { type: "object", properties: { b: { type: "number" } }, required: ["b"] },
        ],
      },
    },
    required: ["both"],
  },
  "choices with constants": {
    type: "object",
    properties: {
      shape: {
        oneOf: [
          {
            type: "object",
            properties: { kind: { const: "circle" }, r: { type: "number" } },
            required: ["kind", "r"],
          },
          {
            type: "object",
            properties: { kind: { const: "square" }, a: { type: "number" } },
            required: ["kind"],
          },
        ],
      },
    },
    required: ["shape"],
  },
  "references to other places": {
    type: "object",
    properties: {
      "a/b": { type: "object", properties: { x: { type: "string" } } },
      copy: { $ref: "#/properties/a~1b" },
      first: { $ref: "#/anyOf/0/properties/only" },
    },
    anyOf: [{ properties: { only: { type: "boolean" } } }, {}],
  },
  "references that lead nowhere": {
    type: "object",
    properties: {
      gone: { $ref: "#/$defs/Gone", description: "Anything." },
      away: { $ref: "https://example.org/schema.json" },
      loop: { $ref: "#/$defs/A" },
    },
    $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } },
  },
  "a property called $ref": {
    type: "object",
    properties: { $ref: { type: "string" }, definitions: { type: "string" } },
    required: ["$ref"],
  },
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
const formats: Readonly<
  Record<string, { format: LLMFormat; options: LLMToolsOptions; limits: object; at: string[] }>
> = {
  openai: { format: "openai", options: {}, limits: openAiTool, at: ["function", "parameters"] },
  "openai, strict": {
    format: "openai",
    options: { strict: true },
    limits: openAiTool,
    at: ["function", "parameters"],
  },
  anthropic: { format: "anthropic", options: {}, limits: anthropicTool, at: ["input_schema"] },
  gemini: { format: "gemini", options: {}, limits: geminiTool, at: ["parameters"] },
};

function define(name: string, how: (typeof formats)[string]) {
  const description = {
    name: "t",
    description: "A tool.",
    inputSchema: schemas[name],
    annotations: {},
  } as unknown as ToolDescription;
  const { tools, argumentsOf } = toLLMTools([description], how.format, how.options);
  const tool = tools[0] ?? {};
  const parameters = how.at.reduce<unknown>((part, key) => Object(part)[key] as unknown, tool) as JsonSchema;
  return { tool, parameters, argumentsOf };
}

const cases = Object.keys(schemas).flatMap((name) =>
  Object.keys(formats).map((format) => [name, format] as const),
);

describe("schemas with references and combinators", () => {
  it.each(cases)("%s: %s takes the definition", (name, format) => {
    const how = formats[format] as (typeof formats)[string];
    const { tool, parameters } = define(name, how);
    const limits = ajv.compile(how.limits);
    expect(limits(tool), JSON.stringify(limits.errors)).toBe(true);
    // Every reference leads to a part of the definition.
    if (format !== "gemini") expect(() => ajv.compile(parameters)).not.toThrow();
    expect(JSON.stringify(tool).length).toBeLessThan(4000);
  });

  it.each([
    [
      "recursive",
      { tree: { name: "a", children: [{ name: "b", children: [] }] } },
      { tree: { children: [] } },
    ],
    [
      "recursive at the top",
      { name: "a", next: { name: "b", next: null } },
      { name: "a", next: { next: null } },
    ],
    ["a reference at the top", { color: "red" }, { color: "blue" }],
    ["allOf around a reference", { user: { id: 1 } }, { user: { id: "1" } }],
    ["allOf of objects", { both: { a: "x", b: 1 } }, { both: { a: "x" } }],
    ["choices with constants", { shape: { kind: "circle", r: 1 } }, { shape: { kind: "circle", a: 1 } }],
  ])("%s is strict, and says the same", (name, good, bad) => {
    const { tool, parameters } = define(name, formats["openai, strict"] as (typeof formats)[string]);
    expect(tool).toMatchObject({ function: { strict: true } });
    const check = ajv.compile(parameters);
    expect(check(good), JSON.stringify(check.errors)).toBe(true);
    expect(check(bad)).toBe(false);
  });

  it("leaves nothing beside a reference in strict mode", () => {
    const { parameters } = define("recursive", formats["openai, strict"] as (typeof formats)[string]);
    expect(parameters["properties"]).toEqual({
      tree: { anyOf: [{ $ref: "#/$defs/Node" }], description: "The root." },
    });
  });

  it("takes the nulls of left-out arguments away below references, choices and allOf", () => {
    const strict = formats["openai, strict"] as (typeof formats)[string];
    const tree = { name: "a", children: [{ name: "b", children: null }] };
    expect(define("recursive", strict).argumentsOf("t", { tree })).toEqual({
      tree: { name: "a", children: [{ name: "b" }] },
    });
    expect(
      define("choices with constants", strict).argumentsOf("t", { shape: { kind: "square", a: null } }),
    ).toEqual({ shape: { kind: "square" } });
  });

  it("tells Gemini of objects behind allOf, and ends where a schema holds itself", () => {
    const gemini = formats["gemini"] as (typeof formats)[string];
    expect(define("allOf around a reference", gemini).parameters).toMatchObject({
      properties: {
        user: {
          type: "object",
          description: "Who.",
          properties: { id: { type: "integer" } },
          required: ["id"],
        },
      },
    });
    expect(define("recursive", gemini).parameters).toMatchObject({
      properties: { tree: { properties: { children: { type: "array", items: { type: "object" } } } } },
    });
  });
});
