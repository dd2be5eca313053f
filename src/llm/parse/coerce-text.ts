import { isRecord } from "../../contract/is-record.js";
import type { JsonSchema } from "../../contract/json.js";
import { setOwn } from "../../contract/set-own.js";
import { exactNumber, parseLooseJson } from "./loose-json.js";
import type { WrittenText } from "./raw-call.js";
import { Reader, Unreadable } from "./reader.js";
import { readElementText, readOpenTag } from "./xml-text.js";

/**
 * Give a text between tags the type that the schema asks for. Where a string is allowed it stays one; a text
 * that fits no type stays as it is, so that validation can say what is wrong with it.
 */
export function coerceText(written: WrittenText, schema: unknown, root: JsonSchema): unknown {
  if (written.json) return needJson(written.text);
  const types = typesOf(schema, root, 0);
  return types.size === 0 || types.has("string")
    ? written.text
    : toType(written.text, types, { schema, root });
}

/** The schema of a property of an object schema. */
export function propertyOf(schema: unknown, name: string, root: JsonSchema): unknown {
  const object = resolveRef(schema, root);
  const properties = object?.["properties"];
  if (isRecord(properties) && Object.hasOwn(properties, name)) return properties[name];
  return object?.["additionalProperties"];
}

/** Whether a schema names a property itself. */
export function hasProperty(schema: JsonSchema, name: string): boolean {
  const properties = resolveRef(schema, schema)?.["properties"];
  return isRecord(properties) && Object.hasOwn(properties, name);
}

function needJson(text: string): unknown {
  const value = parseLooseJson(new Reader(text));
  if (value === undefined) throw new Unreadable("malformed", 'An argument of type="json" is not valid JSON.');
  return value;
}

interface Wanted {
  readonly schema: unknown;
  readonly root: JsonSchema;
}

function toType(text: string, types: ReadonlySet<string>, wanted: Wanted): unknown {
  const trimmed = text.trim();
  if (types.has("boolean") && /^(?:true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === "true";
  if (types.has("null") && /^(?:null|none|)$/i.test(trimmed)) return null;
  if ((types.has("number") || types.has("integer")) && isNumber(trimmed)) return exactNumber(trimmed);
  if (!types.has("object") && !types.has("array")) return text;
  const value = parseLooseJson(new Reader(trimmed));
  if (typeof value === "object" && value !== null) {
    if (types.has(Array.isArray(value) ? "array" : "object")) return value;
  }
  return fromTags(trimmed, types, wanted) ?? text;
}

function isNumber(text: string): boolean {
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text));
}

/** A list or an object that was written in tags: `<item>a</item><item>b</item>`, `<from>1</from><to>2</to>`. */
function fromTags(text: string, types: ReadonlySet<string>, { schema, root }: Wanted): unknown {
  const children = readChildren(new Reader(text));
  if (children === undefined) return undefined;
  const own = resolveRef(schema, root);
  if (types.has("array")) {
    const [first] = children;
    if (children.some(([name]) => name !== first?.[0])) return undefined;
    return children.map(([, value]) => coerceText({ text: value, json: false }, own?.["items"], root));
  }
  const object: Record<string, unknown> = {};
  for (const [name, value] of children) {
    if (Object.hasOwn(object, name)) return undefined;
    setOwn(object, name, coerceText({ text: value, json: false }, propertyOf(own, name, root), root));
  }
  return object;
}

function readChildren(reader: Reader): [name: string, text: string][] | undefined {
  const children: [string, string][] = [];
  try {
    for (;;) {
      reader.skipSpace();
      if (reader.atEnd) return children.length === 0 ? undefined : children;
      const tag = readOpenTag(reader);
      if (tag === undefined) return undefined;
      children.push([tag.fullName, tag.selfClosing ? "" : readElementText(reader, tag.fullName)]);
    }
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

const maxDepth = 8;

/** The types that a schema allows; none where it does not say. */
function typesOf(schema: unknown, root: JsonSchema, depth: number): Set<string> {
  const own = depth > maxDepth ? undefined : resolveRef(schema, root);
  if (own === undefined) return new Set();
  const { type, enum: listed, const: only, anyOf, oneOf } = own;
  if (typeof type === "string") return new Set([type]);
  if (Array.isArray(type)) return new Set(type as string[]);
  if (Array.isArray(listed)) return new Set(listed.map(typeName));
  if (only !== undefined) return new Set([typeName(only)]);
  const choices = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const types = choices.map((choice) => typesOf(choice, root, depth + 1));
  // One choice that takes anything takes a string too.
  return types.some((set) => set.size === 0) ? new Set() : new Set(types.flatMap((set) => [...set]));
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function resolveRef(schema: unknown, root: JsonSchema): JsonSchema | undefined {
  if (!isRecord(schema)) return undefined;
  const ref = schema["$ref"];
  if (typeof ref !== "string" || !ref.startsWith("#/")) return schema;
  let target: unknown = root;
  for (const step of ref.slice(2).split("/")) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return isRecord(target) ? target : undefined;
}
