/*
 * What each provider documents of the definitions it takes, as JSON Schemas of those definitions.
 */

/** Keywords that OpenAI and Anthropic refuse at the top of a tool's schema. */
const plainRoot = {
  type: "object",
  required: ["type"],
  properties: {
    type: { const: "object" },
    properties: { type: "object", additionalProperties: { type: ["object", "boolean"] } },
    required: { type: "array", items: { type: "string" }, uniqueItems: true },
  },
  not: {
    anyOf: ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"].map((keyword) => ({ required: [keyword] })),
  },
};

const name = { type: "string", pattern: "^[a-zA-Z0-9_-]{1,64}$" };

export const openAiTool = {
  type: "object",
  required: ["type", "function"],
  additionalProperties: false,
  properties: {
    type: { const: "function" },
    function: {
      type: "object",
      required: ["name", "description", "parameters"],
      additionalProperties: false,
      properties: {
        name,
        description: { type: "string", maxLength: 1024 },
        parameters: plainRoot,
        strict: { const: true },
      },
    },
  },
};

export const anthropicTool = {
  type: "object",
  required: ["name", "input_schema"],
  additionalProperties: false,
  properties: {
    name,
    description: { type: "string" },
    input_schema: {
      allOf: [
        plainRoot,
        { properties: { properties: { propertyNames: { pattern: "^[a-zA-Z0-9_.-]{1,64}$" } } } },
      ],
    },
  },
};

export const geminiTool = {
  type: "object",
  required: ["name", "description"],
  additionalProperties: false,
  properties: {
    name: { type: "string", pattern: "^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$" },
    description: { type: "string" },
    parameters: {
      allOf: [{ $ref: "#/$defs/schema" }, { required: ["type"], properties: { type: { const: "object" } } }],
    },
  },
  $defs: {
    schema: {
      type: "object",
      additionalProperties: false,
      anyOf: [{ required: ["type"] }, { required: ["anyOf"] }],
      properties: {
        type: { enum: ["string", "number", "integer", "boolean", "array", "object"] },
        format: { enum: ["enum", "date-time", "float", "double", "int32", "int64"] },
        title: true,
        description: true,
        nullable: { type: "boolean" },
        enum: { type: "array", minItems: 1, items: { type: "string", minLength: 1 } },
        items: { $ref: "#/$defs/schema" },
        properties: { type: "object", minProperties: 1, additionalProperties: { $ref: "#/$defs/schema" } },
        required: { type: "array", minItems: 1, items: { type: "string" }, uniqueItems: true },
        anyOf: { type: "array", minItems: 2, items: { $ref: "#/$defs/schema" } },
        minItems: true,
        maxItems: true,
        minProperties: true,
        maxProperties: true,
        minimum: true,
        maximum: true,
        minLength: true,
        maxLength: true,
        pattern: true,
        default: true,
        example: true,
      },
      if: { required: ["type"], properties: { type: { const: "array" } } },
      then: { required: ["items"] },
    },
  },
};

export const mcpTool = {
  type: "object",
  required: ["name", "inputSchema"],
  properties: {
    name: { type: "string", pattern: "^[A-Za-z0-9_.-]{1,128}$" },
    inputSchema: { type: "object", required: ["type"], properties: { type: { const: "object" } } },
  },
};

export const aiSdkTool = {
  type: "object",
  required: ["type", "name", "inputSchema"],
  properties: { type: { const: "function" }, name, inputSchema: plainRoot },
};
