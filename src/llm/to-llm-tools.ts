import type { JsonSchema } from "../contract/json.js";
import type { ToolDescription } from "../contract/tool.js";
import { toGeminiSchema } from "./gemini-schema.js";
import { toLegalName } from "./legal-name.js";

/** The dialects that definitions can be written in. */
export const llmFormats = ["openai", "anthropic", "gemini", "mcp", "ai-sdk"] as const;

export type LLMFormat = (typeof llmFormats)[number];

/** Definitions for a model, and the way back from the names it will use. */
export interface LLMTools {
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  /** The tool behind a name that a model wrote; `undefined` where there is none. */
  readonly toolNameOf: (legalName: string) => string | undefined;
}

/** Write tool definitions in a provider's dialect, with names that are legal there. */
export function toLLMTools(descriptions: readonly ToolDescription[], format: LLMFormat): LLMTools {
  const write = writers[format] as Writer | undefined;
  if (write === undefined)
    throw new TypeError(`There is no format "${format}". There are: ${llmFormats.join(", ")}.`);
  const trueNames = new Map<string, string>();
  const tools = descriptions.map((description) => {
    const name = toLegalName(description.name, new Set(trueNames.keys()));
    trueNames.set(name, description.name);
    return write(name, description);
  });
  return { tools, toolNameOf: (legalName) => trueNames.get(legalName) };
}

type Writer = (name: string, description: ToolDescription) => Record<string, unknown>;

const writers: Readonly<Record<LLMFormat, Writer>> = {
  openai: (name, { description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: withoutDialect(inputSchema) },
  }),
  anthropic: (name, { description, inputSchema }) => ({
    name,
    description,
    input_schema: withoutDialect(inputSchema),
  }),
  gemini: (name, { description, inputSchema }) => ({
    name,
    description,
    parameters: toGeminiSchema(inputSchema),
  }),
  mcp: (name, { description, inputSchema, outputSchema, annotations }) => ({
    name,
    description,
    inputSchema,
    ...(outputSchema?.["type"] === "object" && { outputSchema }),
    annotations: {
      ...(annotations.title !== undefined && { title: annotations.title }),
      readOnlyHint: annotations.readOnly === true,
      destructiveHint: annotations.dangerous === true,
      idempotentHint: annotations.idempotent === true,
      openWorldHint: annotations.openWorld === true,
    },
  }),
  "ai-sdk": (name, { description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema: withoutDialect(inputSchema),
  }),
};

/** Providers refuse or ignore the name of the dialect. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = schema;
  return rest;
}
