import { setOwn } from "../contract/set-own.js";
import type { ToolDescription } from "../contract/tool.js";
import { checkKeys } from "../schema/check-keys.js";
import { toGeminiSchema } from "./gemini-schema.js";
import { toLegalName } from "./legal-name.js";
import { legalProperties } from "./legal-properties.js";
import { namedParts, withObjectRoot } from "./schema-parts.js";
import { selfContained } from "./self-contained.js";
import type { JsonSchema } from "../contract/json.js";
import { toStrictSchema, withoutFillers } from "./strict-schema.js";

/** The dialects that definitions can be written in. */
export const llmFormats = [
  "openai",
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "mcp",
  "ai-sdk",
] as const;

/** The formats of `toLLMTools`. */
export type LLMFormat = (typeof llmFormats)[number];

/** How definitions are written. */
export interface LLMToolsOptions {
  /** OpenAI's strict mode, for the tools whose schemas it can say. @default false */
  readonly strict?: boolean | undefined;
}

/** Definitions for a model, and the way back from what it will write. */
export interface LLMTools {
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  /** The tool behind a name that a model wrote; `undefined` where there is none. */
  readonly toolNameOf: (legalName: string) => string | undefined;
  /** The arguments as the tool takes them: keys that had to be renamed, and nulls that strict mode asks for. */
  readonly argumentsOf: (legalName: string, args: unknown) => unknown;
  /** The name of a tool as the model sees it; `undefined` for a tool that is not among them. */
  readonly legalNameOf: (toolName: string) => string | undefined;
  /** @internal The calls that were read with these definitions, by their ids: answers take their form from them. */
  readonly made: Map<string, MadeCall>;
}

/** What the result depends on. */
interface MadeCall {
  /** As the model wrote it. */
  readonly name: unknown;
  readonly answerType?: string;
}

/** Write tool definitions in a provider's dialect, with names that are legal there. */
export function toLLMTools(
  descriptions: readonly ToolDescription[],
  format: LLMFormat,
  options: LLMToolsOptions = {},
): LLMTools {
  const write = writers[format] as Writer | undefined;
  if (write === undefined)
    throw new TypeError(`Unknown format "${format}". Available formats: ${llmFormats.join(", ")}.`);
  checkKeys(options, { strict: true }, "toLLMTools");
  const written = new Map<string, { readonly name: string; readonly back: Written["back"] }>();
  const legalNames = new Map<string, string>();
  const tools = descriptions.map((description) => {
    const name = toLegalName(description.name, written);
    const { tool, back } = nativeTool(name, description, format) ?? write(name, description, options);
    written.set(name, { name: description.name, back });
    legalNames.set(description.name, name);
    // A copy of its own: SDKs add to what they are given, and Tenon's schemas are frozen.
    return copy(tool) as Record<string, unknown>;
  });
  return {
    tools,
    toolNameOf: (legalName) => written.get(legalName)?.name,
    argumentsOf: (legalName, args) => written.get(legalName)?.back?.(args) ?? args,
    legalNameOf: (toolName) => legalNames.get(toolName),
    made: new Map(),
  };
}

interface Written {
  readonly tool: Record<string, unknown>;
  readonly back?: ((args: unknown) => unknown) | undefined;
}

type Writer = (name: string, description: ToolDescription, options: LLMToolsOptions) => Written;

/** The provider's own definition, where the format is that of an API that knows the tool. */
function nativeTool(name: string, { native }: ToolDescription, format: LLMFormat): Written | undefined {
  if (native?.provider === "anthropic" && format === "anthropic") {
    return { tool: { ...native.definition, name } };
  }
  if (native?.provider === "openai" && format === "openai-responses")
    return { tool: { ...native.definition } };
  return undefined;
}

/** OpenAI refuses longer ones. */
const maxDescription = 1024;

/** A function for OpenAI: the chat API nests it, the responses API does not. */
const toFunction: Writer = (name, { description, inputSchema }, { strict }) => {
  const strictSchema = strict === true ? strictSchemaOf(inputSchema) : undefined;
  const parameters = strictSchema ?? plainSchema(inputSchema);
  const function_ = { name, description: shorten(description), parameters };
  if (strictSchema === undefined) return { tool: function_ };
  return {
    tool: { ...function_, strict: true },
    back: (args) => withoutFillers(args, withObjectRoot(inputSchema), inputSchema),
  };
};

const toChatFunction: Writer = (...args) => {
  const { tool, back } = toFunction(...args);
  return { tool: { type: "function", function: tool }, back };
};

const writers: Readonly<Record<LLMFormat, Writer>> = {
  openai: toChatFunction,
  "openai-chat": toChatFunction,
  "openai-responses": (...args) => {
    const { tool, back } = toFunction(...args);
    // Strict is the default of this API.
    return { tool: { type: "function", strict: false, ...tool }, back };
  },
  anthropic: (name, { description, inputSchema }) => {
    const { schema, back } = legalSchema(inputSchema);
    return { tool: { name, description, input_schema: schema }, back };
  },
  gemini: (name, { description, inputSchema }) => {
    const parameters = geminiSchema(inputSchema);
    // An object without properties is refused; a declaration without parameters takes none.
    const isEmpty = parameters["properties"] === undefined;
    return { tool: { name, description, ...(!isEmpty && { parameters }) } };
  },
  mcp: (name, { description, inputSchema, outputSchema, annotations }) => ({
    tool: {
      name,
      description,
      inputSchema: inputSchema["type"] === "object" ? inputSchema : withObjectRoot(inputSchema),
      ...(outputSchema?.["type"] === "object" && { outputSchema }),
      annotations: {
        ...(annotations.title !== undefined && { title: annotations.title }),
        readOnlyHint: annotations.readOnly === true,
        destructiveHint: annotations.dangerous === true,
        idempotentHint: annotations.idempotent === true,
        openWorldHint: annotations.openWorld === true,
      },
    },
  }),
  "ai-sdk": (name, { description, inputSchema }) => ({
    tool: { type: "function", name, description, inputSchema: plainSchema(inputSchema) },
  }),
};

/** Schemas of tools are frozen and asked for at every step of an agent: each is converted once. */
function onceFor<Converted>(convert: (schema: JsonSchema) => Converted): (schema: JsonSchema) => Converted {
  const known = new WeakMap<JsonSchema, { readonly converted: Converted }>();
  return (schema) => {
    const before = known.get(schema);
    if (before !== undefined) return before.converted;
    const converted = convert(schema);
    if (Object.isFrozen(schema)) known.set(schema, { converted });
    return converted;
  };
}

/** A schema that OpenAI and Anthropic take: an object at the top, and references that lead to parts of it. */
const plainSchema = onceFor((schema) => withObjectRoot(selfContained(schema)));
const legalSchema = onceFor((schema) => legalProperties(plainSchema(schema)));
const strictSchemaOf = onceFor(toStrictSchema);
const geminiSchema = onceFor(toGeminiSchema);

/** A deep copy of a definition, without `propertyNames`: providers refuse it, and Tenon checks it anyway. */
function copy(value: unknown, isMap = false): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copy(item));
  const copied: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key === "propertyNames" && !isMap) continue;
    setOwn(copied, key, copy((value as Record<string, unknown>)[key], namedParts.has(key) && !isMap));
  }
  return copied;
}

function shorten(description: string): string {
  return description.length <= maxDescription ? description : `${description.slice(0, maxDescription - 1)}…`;
}
