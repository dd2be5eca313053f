import type { JsonSchema } from "../contract/json.js";
import { setOwn } from "../contract/set-own.js";
import { isSchema, namedParts, targetOf } from "./schema-parts.js";

/**
 * The same schema with every reference in the one form that all providers take: `#`, or `#/$defs/Name`. References that
 * lead nowhere, to other documents or only to themselves are left out: they allow anything, and Tenon's own validation
 * still knows.
 */
export function selfContained(schema: JsonSchema): JsonSchema {
  if (!hasReference(schema)) return schema;
  const names = new Map<JsonSchema, string>();
  const defs: Record<string, unknown> = {};
  const nameOf = (target: JsonSchema, ref: string): string => {
    const known = names.get(target);
    if (known !== undefined) return known;
    const wanted = (ref.split("/").at(-1) ?? "").replaceAll(/[^A-Za-z0-9_.-]+/g, "_") || "part";
    let name = wanted;
    for (let count = 2; Object.hasOwn(defs, name); count++) name = `${wanted}_${count}`;
    names.set(target, name);
    setOwn(defs, name, {}); // taken, before the target leads back here
    setOwn(defs, name, rewrite(target));
    return name;
  };
  const rewrite = (value: unknown, isMap = false): unknown => {
    if (Array.isArray(value)) return value.map((item) => rewrite(item));
    if (!isSchema(value)) return value;
    const entries = Object.entries(value)
      .filter(([key]) => isMap || !dropped.has(key))
      .map(([key, part]) => [key, rewrite(part, namedParts.has(key) && !isMap)] as const);
    const ref = isMap ? undefined : value["$ref"];
    if (typeof ref !== "string") return Object.fromEntries(entries);
    const target = targetOf(ref, schema);
    const $ref =
      target === schema ? "#" : target === undefined ? undefined : `#/$defs/${nameOf(target, ref)}`;
    return { ...($ref !== undefined && { $ref }), ...Object.fromEntries(entries) };
  };
  const root = rewrite(schema) as JsonSchema;
  return Object.keys(defs).length === 0 ? root : { ...root, $defs: defs };
}

/** Keywords that are rewritten, and those that only make sense within the complete document. */
const dropped: ReadonlySet<string> = new Set([
  "$ref",
  "$defs",
  "definitions",
  "$id",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
]);

function hasReference(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasReference);
  return Object.entries(value).some(
    ([key, part]) =>
      ((key === "$ref" || key === "$dynamicRef") && typeof part === "string") || hasReference(part),
  );
}
