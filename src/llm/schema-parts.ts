import { setOwn } from "../contract/set-own.js";
import type { JsonSchema } from "../contract/json.js";

/** Whether a value is a schema that says something; `true` and `false` say nothing to a model. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Keywords whose keys are names, not keywords. */
export const namedParts: ReadonlySet<string> = new Set([
  "properties",
  "$defs",
  "definitions",
  "patternProperties",
  "dependentSchemas",
]);

/** The schema that a reference within the document points to; keywords beside the reference win. */
export function resolveRef(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const ref = schema["$ref"];
  if (typeof ref !== "string") return schema;
  const { $ref: _, ...beside } = schema;
  return { ...targetOf(ref, root), ...beside };
}

const maxHops = 32;

/** The schema that a reference leads to, through other references; `undefined` if it leads nowhere. */
export function targetOf(ref: string, root: JsonSchema): JsonSchema | undefined {
  let found = follow(ref, root);
  for (let hops = 0; hops < maxHops; hops++) {
    const next = found?.["$ref"];
    if (found === undefined || typeof next !== "string" || Object.keys(found).length > 1) return found;
    found = follow(next, root);
  }
  return undefined; // a circle of references
}

function follow(ref: string, root: JsonSchema): JsonSchema | undefined {
  let target: unknown = ref === "#" || ref.startsWith("#/") ? root : undefined;
  for (const step of ref
    .slice(2)
    .split("/")
    .filter((part) => part !== "")) {
    const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    const holder = target as Readonly<Record<string, unknown>> | undefined;
    target = typeof holder === "object" && Object.hasOwn(holder ?? {}, key) ? holder[key] : undefined;
  }
  return isSchema(target) ? target : undefined;
}

/** One schema in the place of those that must all hold, as far as a model needs it. */
export function withoutAllOf(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf) || depth > maxDepth) return schema;
  const merged: Record<string, unknown> = {};
  for (const part of [...allOf.filter(isSchema), own]) {
    const each = part === own ? own : withoutAllOf(resolveRef(part, root), root, depth + 1);
    const properties = { ...objectOf(merged["properties"]), ...objectOf(each["properties"]) };
    const required = [...listOf(merged["required"]), ...listOf(each["required"])];
    Object.assign(merged, each);
    if (Object.keys(properties).length > 0) merged["properties"] = properties;
    if (required.length > 0) merged["required"] = [...new Set(required)];
  }
  return merged;
}

function objectOf(value: unknown): JsonSchema {
  return isSchema(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step; // a stray "%"
  }
}

/** Keywords that providers refuse at the top of a tool's schema. */
const combining = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "then", "else", "$ref"];

/**
 * A schema whose top is a plain object, as providers ask for. Choices at the top are told as one object with the
 * properties of all; which of them go together is left to Tenon's own validation.
 */
export function withObjectRoot(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...plain } = schema;
  if (plain["type"] === "object" && combining.every((keyword) => plain[keyword] === undefined)) return plain;
  const merged = mergeBranches(plain, schema, 0);
  const kept = Object.entries(plain).filter(([keyword]) => !combining.includes(keyword));
  return {
    ...Object.fromEntries(kept),
    type: "object",
    properties: merged.properties,
    ...(merged.required.size > 0 && { required: [...merged.required] }),
  };
}

interface Merged {
  readonly properties: Record<string, unknown>;
  readonly required: Set<string>;
}

const maxDepth = 8;

function mergeBranches(value: JsonSchema, root: JsonSchema, depth: number): Merged {
  const schema = resolveRef(value, root);
  const properties: Record<string, unknown> = {
    ...(isSchema(schema["properties"]) ? schema["properties"] : {}),
  };
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as string[]) : []);
  if (depth > maxDepth) return { properties, required };
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const listed = schema[keyword];
    if (!Array.isArray(listed)) continue;
    const branches = listed.filter(isSchema).map((branch) => mergeBranches(branch, root, depth + 1));
    for (const branch of branches)
      for (const [name, property] of Object.entries(branch.properties))
        if (!Object.hasOwn(properties, name)) setOwn(properties, name, property);
    const needed = keyword === "allOf" ? union(branches) : common(branches);
    for (const name of needed) required.add(name);
  }
  return { properties, required };
}

function union(branches: readonly Merged[]): string[] {
  return branches.flatMap(({ required }) => [...required]);
}

function common(branches: readonly Merged[]): string[] {
  const [first, ...others] = branches;
  return [...(first?.required ?? [])].filter((name) => others.every(({ required }) => required.has(name)));
}
