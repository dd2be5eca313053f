import { isRecord } from "../contract/is-record.js";

/** Without the properties that are null although the schema does not require them; `undefined` if there are none. */
export function dropNulls(value: unknown, schema: unknown): unknown {
  const dropped = withoutNulls(value, schema);
  return dropped === value ? undefined : dropped;
}

function withoutNulls(value: unknown, schema: unknown): unknown {
  if (!isRecord(schema)) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item) => withoutNulls(item, schema["items"]));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  const { properties } = schema;
  if (!isRecord(value) || !isRecord(properties)) return value;
  const required = new Set<unknown>(Array.isArray(schema["required"]) ? schema["required"] : []);
  const kept = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    if (item === null && Object.hasOwn(properties, key) && !required.has(key)) return [];
    return [[key, Object.hasOwn(properties, key) ? withoutNulls(item, properties[key]) : item]];
  });
  const isSame =
    kept.length === Object.keys(value).length && kept.every(([key, item]) => item === value[key]);
  return isSame ? value : Object.fromEntries(kept);
}
