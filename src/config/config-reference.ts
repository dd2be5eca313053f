import type { JsonSchema } from "../contract/json.js";

/** The list of all keys for the documentation, made from the JSON Schema. */
export function configReference(schema: JsonSchema): string {
  return rowsOf(schema, "").map(showRow).join("\n");
}

function showRow({ key, type, fallback, meaning }: Row): string {
  return `- \`${key}\` (${type}${fallback === "" ? "" : `, default ${fallback}`}): ${meaning}`;
}

interface Row {
  readonly key: string;
  readonly type: string;
  readonly fallback: string;
  readonly meaning: string;
}

function rowsOf(schema: JsonSchema, path: string): Row[] {
  const rows: Row[] = [];
  for (const form of formsOf(schema)) {
    for (const [name, inner] of Object.entries((form.properties ?? {}) as Record<string, JsonSchema>)) {
      const key = path === "" ? name : `${path}.${name}`;
      if (rows.some((row) => row.key === key)) continue;
      rows.push(rowOf(key, inner), ...rowsOf(inner, key));
    }
    if (isSchema(form.additionalProperties))
      rows.push(...rowsOf(form.additionalProperties, `${path}.<name>`));
    if (isSchema(form.items)) rows.push(...rowsOf(form.items, `${path}[]`));
  }
  return rows.filter((row, index) => rows.findIndex(({ key }) => key === row.key) === index);
}

function rowOf(key: string, schema: JsonSchema): Row {
  const [meaning = "", fallback = ""] = textOf(schema.description).split(/\s*@default\s+/);
  return { key, type: escape(typeOf(schema)), fallback: escape(fallback), meaning: escape(meaning) };
}

function typeOf(schema: JsonSchema): string {
  if (Array.isArray(schema.anyOf)) return [...new Set(formsOf(schema).map(typeOf))].join(" or ");
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(", ");
  if (schema.const !== undefined) return textOf(schema.const);
  if (schema.type === "array") return isSchema(schema.items) ? `list of ${plural(schema.items)}` : "list";
  if (schema.type === "object") return "map";
  const type = textOf(schema.type);
  return { string: "text", integer: "whole number", "": "anything" }[type] ?? type;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "").replaceAll('"', "");
}

function plural(items: JsonSchema): string {
  const type = typeOf(items);
  return type === "text" ? "texts" : type.replaceAll("map", "maps");
}

function formsOf(schema: JsonSchema): JsonSchema[] {
  return Array.isArray(schema.anyOf) ? (schema.anyOf as JsonSchema[]).flatMap(formsOf) : [schema];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null;
}

function escape(text: string): string {
  return text.replaceAll("<", "&lt;").replaceAll("*", "\\*");
}
