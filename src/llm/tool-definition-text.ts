import { isRecord } from "../contract/is-record.js";
import type { JsonSchema } from "../contract/json.js";
import type { ToolDescription } from "../contract/tool.js";
import { encodeAttribute, encodeText } from "./parse/xml-text.js";
import type { PromptFormat } from "./print-tool-call.js";

/** How much is said of each tool, from everything to its name. */
const detailLevels = ["full", "short", "names"] as const;

export type DetailLevel = (typeof detailLevels)[number];

/** One tool in a prompt. */
export function toolDefinitionText(
  tool: ToolDescription,
  format: PromptFormat,
  detail: DetailLevel = "full",
): string {
  if (detail === "names")
    return format === "xml" ? `<tool name="${encodeAttribute(tool.name)}"/>` : quote(tool.name);
  return format === "xml" ? toXml(tool, detail) : toJson(tool, detail);
}

function toXml(tool: ToolDescription, detail: "full" | "short"): string {
  const { name, annotations } = tool;
  const marks = [
    annotations.readOnly === true ? ' read_only="true"' : "",
    annotations.dangerous === true ? ' asks_the_person="true"' : "",
  ].join("");
  const lines = [
    `<tool name="${encodeAttribute(name)}"${marks}>`,
    `<description>${encodeText(describe(tool.description, detail))}</description>`,
    ...parametersOf(tool.inputSchema).map((parameter) => parameterXml(parameter, detail)),
    ...(detail === "full" ? examplesOf(tool) : []),
    "</tool>",
  ];
  return lines.join("\n");
}

interface Parameter {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

function parametersOf(schema: JsonSchema): Parameter[] {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, unknown>>;
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as string[]) : []);
  return Object.entries(properties).map(([name, own]) => ({
    name,
    schema: typeof own === "object" && own !== null ? (own as JsonSchema) : {},
    required: required.has(name),
  }));
}

function parameterXml({ name, schema, required }: Parameter, detail: "full" | "short"): string {
  const facts = [
    `name="${encodeAttribute(name)}"`,
    `type="${encodeAttribute(typeText(schema))}"`,
    ...(required ? ['required="true"'] : []),
    ...(schema["default"] === undefined ? [] : [`default="${encodeAttribute(quote(schema["default"]))}"`]),
  ].join(" ");
  const description = typeof schema["description"] === "string" ? schema["description"] : "";
  const said = detail === "full" ? encodeText(description) : "";
  const shape = detail === "full" ? nestedShape(schema) : "";
  return said === "" && shape === ""
    ? `<parameter ${facts}/>`
    : `<parameter ${facts}>${said}${shape}</parameter>`;
}

/** The type in a word or two: `string`, `integer or null`, `"a" | "b"`, `string[]`. */
function typeText(schema: JsonSchema): string {
  const { type, enum: listed, items, anyOf, oneOf } = schema;
  if (Array.isArray(listed)) return listed.slice(0, 30).map(quote).join(" | ");
  if (schema["const"] !== undefined) return quote(schema["const"]);
  if (type === "array" && isRecord(items)) return `${typeText(items)}[]`;
  if (typeof type === "string") return type;
  if (Array.isArray(type)) return type.join(" or ");
  const choices = [anyOf, oneOf].find(Array.isArray) as unknown[] | undefined;
  const texts = choices?.slice(0, 8).map((choice) => (isRecord(choice) ? typeText(choice) : "any"));
  return texts === undefined ? "any" : [...new Set(texts)].join(" or ");
}

/** Objects within are said as JSON Schema: tags alone could not. */
function nestedShape(schema: JsonSchema): string {
  const inner = schema["type"] === "array" && isRecord(schema["items"]) ? schema["items"] : schema;
  if (!isRecord(inner["properties"])) return "";
  return `<schema>${encodeText(quote(inner))}</schema>`;
}

function examplesOf(tool: ToolDescription): string[] {
  return (tool.examples ?? [])
    .slice(0, 2)
    .map((example) => `<example>${encodeText(quote(example.arguments))}</example>`);
}

function toJson(tool: ToolDescription, detail: "full" | "short"): string {
  const { $schema: _, ...schema } = tool.inputSchema;
  return quote({
    name: tool.name,
    description: describe(tool.description, detail),
    ...(tool.annotations.dangerous === true && { asksThePerson: true }),
    parameters: detail === "full" ? schema : withoutDescriptions(schema, 0),
    ...(detail === "full" && tool.examples !== undefined && { examples: tool.examples.slice(0, 2) }),
  });
}

/** The first sentence where little may be said. */
function describe(description: string, detail: "full" | "short"): string {
  if (detail === "full") return description;
  const end = description.search(/[.!?](?:\s|$)/);
  const sentence = end === -1 ? description : description.slice(0, end + 1);
  return sentence.length <= 120 ? sentence : `${sentence.slice(0, 119)}…`;
}

function withoutDescriptions(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutDescriptions(item, depth + 1));
  if (!isRecord(value) || depth > 32) return value;
  // A property may be called "description"; only the text of that name goes.
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !((key === "description" || key === "title") && typeof item === "string"))
      .map(([key, item]) => [key, withoutDescriptions(item, depth + 1)]),
  );
}

function quote(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}
