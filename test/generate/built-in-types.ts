import { isRecord } from "../../src/contract/is-record.js";
import type { JsonSchema } from "../../src/contract/json.js";
import type { ToolDescription } from "../../src/contract/tool.js";

/** The source of src/contract/built-in-types.ts: the input and result of every built-in tool, from its schemas. */
export function builtInTypes(tools: readonly ToolDescription[]): string {
  const sorted = tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const input = { indent: "    ", mark: "readonly " };
  // What a caller gets is its own to change.
  const result = { indent: "    ", mark: "" };
  return [
    "// Generated from the schemas of the built-in tools: `npx vitest run test/docs -u` renews this file.",
    "",
    "/** The arguments and the result of every built-in tool, by its name. */",
    "export interface BuiltInTools {",
    ...sorted.flatMap(({ name, description, inputSchema, outputSchema }) => [
      ...comment(description, "  "),
      `  readonly ${name}: {`,
      `    readonly input: ${typeText(inputSchema, input)};`,
      `    readonly result: ${outputSchema === undefined ? "unknown" : typeText(outputSchema, result)};`,
      "  };",
    ]),
    "}",
    "",
    "/** The name of a built-in tool. */",
    "export type BuiltInToolName = keyof BuiltInTools;",
    "",
  ].join("\n");
}

const plainTypes: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

interface Place {
  readonly indent: string;
  /** What stands before members and arrays. */
  readonly mark: string;
}

function typeText(schema: unknown, place: Place): string {
  if (!isRecord(schema)) return "unknown";
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  const choices = [schema["anyOf"], schema["oneOf"]].find(Array.isArray) as unknown[] | undefined;
  if (choices !== undefined) return union(choices.map((choice) => typeText(choice, place)));
  if (schema["allOf"] !== undefined || schema["$ref"] !== undefined) {
    throw new TypeError(
      `No type for a schema with ${Object.keys(schema).join(", ")}: say it in another way.`,
    );
  }
  const { type } = schema;
  if (Array.isArray(type))
    return union(type.map((one) => typeText({ ...schema, type: one as unknown }, place)));
  if (type === "array") return arrayText(typeText(schema["items"], place), place);
  if (type === "object") return objectText(schema, place);
  return (typeof type === "string" ? plainTypes[type] : undefined) ?? "unknown";
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function arrayText(item: string, { mark }: Place): string {
  const isOne = /^\w+$/.test(item) || (item.startsWith("{") && item.indexOf("}") === item.length - 1);
  return isOne ? `${mark}${item}[]` : `${mark}(${item})[]`;
}

function objectText(schema: JsonSchema, place: Place): string {
  const { indent, mark } = place;
  const properties = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const { additionalProperties: others } = schema;
  if (properties.length === 0)
    return `{ ${mark}[key: string]: ${others === false ? "never" : typeText(others, place)} }`;
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as string[]) : []);
  const inner = { indent: `${indent}  `, mark };
  const lines = properties.flatMap(([name, property]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    const type = typeText(property, inner);
    const member = required.has(name) ? `${key}: ${type}` : `${key}?: ${type} | undefined`;
    return [
      ...comment(isRecord(property) ? property["description"] : undefined, inner.indent),
      `${inner.indent}${mark}${member};`,
    ];
  });
  return ["{", ...lines, `${indent}}`].join("\n");
}

function comment(text: unknown, indent: string): string[] {
  return typeof text === "string"
    ? [`${indent}/** ${text.replaceAll("*/", "*\\/").replaceAll("\n", " ")} */`]
    : [];
}
