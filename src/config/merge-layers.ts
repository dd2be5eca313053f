import type * as z from "zod";
import { isRecord } from "../contract/is-record.js";
import { configSchema } from "./config-schema.js";
import type { NormalConfig } from "./normal-config.js";
import { rulesOf, schemaAt, typeOf } from "./setting.js";

/** Merge sources, the strongest first; a key is decided by the strongest source that has it. */
export function mergeLayers(layers: readonly NormalConfig[]): NormalConfig {
  return layers.reduceRight<Readonly<Record<string, unknown>>>((weak, strong) => {
    const keys = new Set([...Object.keys(strong), ...Object.keys(weak)]);
    return Object.fromEntries([...keys].map((key) => [key, mergeKey(key, strong, weak)]));
  }, {});
}

/** Where nothing meets anything the schema, which takes long to make, is not needed. */
function mergeKey(key: string, above: object, below: object): unknown {
  const [strong, weak] = [own(above, key), own(below, key)];
  if (strong === undefined || weak === undefined) return strong === undefined ? weak : strong;
  return merge(strong, weak, schemaAt(typeOf(configSchema()), key));
}

function merge(strong: unknown, weak: unknown, schema: z.core.$ZodType | undefined): unknown {
  if (strong === undefined) return weak;
  if (weak === undefined) return strong;
  const rule = rulesOf(schema).merge;
  if (rule === "add" && Array.isArray(strong) && Array.isArray(weak)) return union(strong, weak);
  if (rule === "whole" || !isRecord(strong) || !isRecord(weak)) return strong;
  const type = typeOf(schema);
  const keys = new Set([...Object.keys(strong), ...Object.keys(weak)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, merge(own(strong, key), own(weak, key), schemaAt(type, key))]),
  );
}

function own(map: object, key: string): unknown {
  return Object.hasOwn(map, key) ? (map as Readonly<Record<string, unknown>>)[key] : undefined;
}

function union(strong: readonly unknown[], weak: readonly unknown[]): unknown[] {
  const seen = new Set<string>();
  return [...strong, ...weak].filter((item) => {
    const key = JSON.stringify(item);
    return !seen.has(key) && seen.add(key);
  });
}
