import type { JsonSchema } from "../contract/json.js";
import type { ToolDescription } from "../contract/tool.js";
import { isRecord } from "../contract/is-record.js";
import { toVisibleLine, toVisibleText } from "../text/visible-text.js";
import { shellQuote } from "../command/shell-quote.js";
import { table, type Colors } from "./output.js";
import { marksOf } from "./tool-list.js";
import { columnsOf, wrap } from "./wrap.js";

/** One tool for people: its arguments as a list, the fields of its result, and its examples as calls. */
export function toolPage(
  tool: ToolDescription,
  { colors, width = 100 }: { readonly colors: Colors; readonly width?: number | undefined },
): string {
  const facts = [toVisibleLine(tool.version), tool.category, marksOf(tool)].filter((fact) => fact !== "");
  const sections = [
    `${colors.bold(toVisibleLine(tool.name))} ${colors.dim(facts.join(", "))}`,
    wrap(toVisibleText(tool.description), width).join("\n"),
    tool.aliases.length > 0 && `Aliases: ${tool.aliases.map(toVisibleLine).join(", ")}`,
    section("Arguments", argumentRows(tool.inputSchema, colors), width),
    section("Result", fieldRows(tool.outputSchema), width),
    examples(tool, colors),
    colors.dim(`Schemas: tenon tools ${shellQuote(tool.name)} --json`),
  ];
  return sections.filter((part) => part !== false && part !== undefined).join("\n\n");
}

function argumentRows(schema: JsonSchema, colors: Colors): string[][] {
  const required = new Set(listOf(schema["required"]));
  return propertiesOf(schema).map(([name, property]) => [
    colors.cyan(toVisibleLine(name)),
    required.has(name) ? `${typeOf(property)}, required` : typeOf(property) + defaultOf(property),
    describe(property),
  ]);
}

function fieldRows(schema: JsonSchema | undefined): string[][] {
  if (schema === undefined) return [];
  return propertiesOf(schema).map(([name, property]) => [
    toVisibleLine(name),
    typeOf(property),
    describe(property),
  ]);
}

/** Rows below a heading; the text of the last column is wrapped within it, or stands below in a narrow terminal. */
function section(title: string, rows: readonly string[][], width: number): string | false {
  if (rows.length === 0) return false;
  const left = table(rows.map(([name = "", type = ""]) => [`  ${name}`, type])).split("\n");
  const column = Math.max(...left.map(columnsOf)) + 2;
  const indent = width - column >= minColumn ? column : 6;
  const lines = rows.flatMap(([, , about = ""], at) => {
    const start = left[at] ?? "";
    if (about === "") return [start];
    const [first = "", ...rest] = wrap(about, width - indent);
    const below = rest.map((line) => " ".repeat(indent) + line);
    const isBeside = indent === column;
    return isBeside
      ? [`${start}${" ".repeat(column - columnsOf(start))}${first}`, ...below]
      : [start, `${" ".repeat(indent)}${first}`, ...below];
  });
  return `${title}:\n${lines.join("\n")}`;
}

/** A narrower column of text is hard to read. */
const minColumn = 30;

function examples({ name, examples: given = [] }: ToolDescription, colors: Colors): string | false {
  if (given.length === 0) return false;
  const lines = given.flatMap(({ description, arguments: args }) => [
    ...(description === undefined ? [] : [colors.dim(`  # ${toVisibleLine(description)}`)]),
    `  ${toVisibleLine(callText(name, args))}`,
  ]);
  return `Examples:\n${lines.join("\n")}`;
}

/** An example as a command line: pairs where all values are plain, else one JSON object. */
export function callText(name: string, args: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(args);
  const isPlain = entries.every(([, value]) => typeof value !== "object" && value !== undefined);
  const words = isPlain
    ? entries.map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    : [JSON.stringify(args)];
  return ["tenon", "call", name, ...words].map(shellQuote).join(" ");
}

function propertiesOf(schema: JsonSchema): [string, JsonSchema][] {
  const properties = schema["properties"];
  return isRecord(properties) ? (Object.entries(properties) as [string, JsonSchema][]) : [];
}

/** The type of a value in a few words: `string`, `file | folder`, `list of numbers`. */
function typeOf(schema: JsonSchema): string {
  const values = schema["enum"];
  if (Array.isArray(values)) return values.map((value) => toVisibleLine(String(value))).join(" | ");
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches))
    return [...new Set(branches.map((branch) => typeOf(branch as JsonSchema)))].join(" or ");
  if (schema["const"] !== undefined) return toVisibleLine(JSON.stringify(schema["const"]));
  const types = listOf(schema["type"]);
  if (types[0] === "array") return `list of ${typeOf((schema["items"] ?? {}) as JsonSchema)}`;
  return types.length === 0 ? "any" : types.join(" or ");
}

function defaultOf(schema: JsonSchema): string {
  return schema["default"] === undefined ? "" : ` = ${toVisibleLine(JSON.stringify(schema["default"]))}`;
}

function describe(schema: JsonSchema): string {
  return typeof schema["description"] === "string" ? toVisibleLine(schema["description"]) : "";
}

function listOf(value: unknown): string[] {
  return [value].flat().filter((item): item is string => typeof item === "string");
}
