import { isRecord } from "../../contract/is-record.js";
import type { HostTool } from "../../contract/host.js";
import type { JsonSchema } from "../../contract/json.js";

/** Characters that are left of a tool's description, and of one of its arguments. */
const maxDescription = 180;
const maxAbout = 40;

/** What tells a model how to write a value; limits and patterns are checked in the call, and described by describe_tool. */
const kept: ReadonlySet<string> = new Set([
  ..."type enum const items properties required anyOf oneOf allOf $ref $defs definitions prefixItems".split(
    " ",
  ),
  ..."not if then else".split(" "),
]);
/** Keywords whose value is no schema. */
const asTheyAre: ReadonlySet<string> = new Set(["type", "enum", "const", "required", "$ref"]);
/** Keywords whose value is a map of names to schemas. */
const maps: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);

/**
 * A tool as a short listing shows it: its purpose in a sentence or two, the names, types and choices of its arguments,
 * and no output schema. Calls are validated against the whole schema all the same.
 */
export function compactTool({ name, description, inputSchema, annotations }: HostTool): HostTool {
  const { title: _title, ...hints } = annotations ?? {};
  return {
    name,
    ...(description !== undefined && { description: shorten(description, maxDescription) }),
    inputSchema: compactInput(inputSchema),
    ...(annotations !== undefined && { annotations: hints }),
  };
}

function compactSchema(schema: unknown, about: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((part) => compactSchema(part, false));
  if (!isRecord(schema)) return schema;
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === "description" && typeof value === "string" && about) return [[key, shorten(value, maxAbout)]];
    if (!kept.has(key) || (key === "required" && Array.isArray(value) && value.length === 0)) return [];
    if (asTheyAre.has(key)) return [[key, value]];
    if (!maps.has(key) || !isRecord(value)) return [[key, compactSchema(value, false)]];
    const parts = Object.entries(value).map(([name, part]) => [name, compactSchema(part, false)] as const);
    return [[key, Object.fromEntries(parts)]];
  });
  return Object.fromEntries(entries);
}

/** Arguments that must be given are described; the names of the others have to speak for themselves. */
function compactInput(schema: JsonSchema): JsonSchema {
  const { properties, required } = schema;
  const short = compactSchema(schema, false) as Record<string, unknown>;
  if (!isRecord(properties)) return short;
  const isNeeded = (name: string): boolean => Array.isArray(required) && required.includes(name);
  const described = Object.entries(properties).map(
    ([name, part]) => [name, compactSchema(part, isNeeded(name))] as const,
  );
  return { ...short, properties: Object.fromEntries(described) };
}

/** Whole sentences as far as they fit, else as many words as do. */
function shorten(text: string, limit: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= limit) return line;
  const sentences = line.match(/[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]*\s*/g) ?? [line];
  let fitting = "";
  for (const sentence of sentences) {
    if (fitting.length + sentence.trimEnd().length > limit) break;
    fitting += sentence;
  }
  if (fitting.trim() !== "") return fitting.trim();
  return `${line.slice(0, limit - 1).replace(/\s+\S*$/, "")}…`;
}
