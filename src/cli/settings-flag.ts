import { isRecord } from "../contract/is-record.js";
import { parseJson } from "../schema/parse-json.js";
import { UsageError } from "./command-line.js";

/** Add the settings that `--set key=value` names: `tools.listing=all` is `{ tools: { listing: "all" } }`. */
export function withSettings(
  flags: Readonly<Record<string, unknown>>,
  words: readonly string[],
): Record<string, unknown> {
  return words.reduce<Record<string, unknown>>((settings, word) => {
    const [, path, text] = /^([A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*)=(.*)$/s.exec(word) ?? [];
    if (path === undefined || text === undefined)
      throw new UsageError(`Invalid --set "${word}" (expected key=value, such as securityLevel=high).`);
    const parsed = parseJson(text);
    return withValue(settings, path.split("."), parsed.ok ? parsed.value : text);
  }, flags);
}

function withValue(
  settings: Readonly<Record<string, unknown>>,
  [key = "", ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (rest.length === 0) return { ...settings, [key]: value };
  const inner = Object.hasOwn(settings, key) ? settings[key] : undefined;
  return { ...settings, [key]: withValue(isRecord(inner) ? inner : {}, rest, value) };
}
