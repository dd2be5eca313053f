import { isRecord } from "../../contract/is-record.js";
import { cleanText } from "./clean-text.js";

const isText = (value: unknown): boolean => typeof value === "string";

/** One entry of a wrong type would spoil the whole listing for a host. */
const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: isText,
  title: isText,
  description: isText,
  mimeType: isText,
  size: (value) => typeof value === "number",
  required: (value) => typeof value === "boolean",
  annotations: isRecord,
  _meta: isRecord,
  icons: Array.isArray,
};

const shown = new Set(["name", "title", "description"]);
const maxChars = 4096;

/** A definition with all that the server said, without fields of the wrong type and without invisible characters. */
export function definitionFields(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(item).flatMap(([key, value]): [string, unknown][] => {
    if (types[key]?.(value) === false) return [];
    return [[key, shown.has(key) ? cleanText(value as string).text.slice(0, maxChars) : value]];
  });
  return Object.fromEntries(entries);
}
