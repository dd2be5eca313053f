import { isRecord } from "../../contract/is-record.js";
import { logLevels } from "../log-levels.js";
import { isProtocolKey } from "../../wire/json-rpc.js";

const versionKey = "io.modelcontextprotocol/protocolVersion";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const levelKey = "io.modelcontextprotocol/logLevel";
const infoKey = "io.modelcontextprotocol/clientInfo";

/** Whether the `_meta` is that of a plain request of 2026-07-28; anything unusual is for the SDK to judge. */
export function isModernMeta(meta: Readonly<Record<string, unknown>>): boolean {
  if (meta[versionKey] !== "2026-07-28" || !isUsual(meta[capabilitiesKey])) return false;
  const { [infoKey]: info, [levelKey]: level } = meta;
  if (info !== undefined && !isPlainInfo(info)) return false;
  if (level !== undefined && !logLevels.includes(level as string)) return false;
  for (const key in meta) if (isProtocolKey(key) && !knownKeys.has(key)) return false;
  return true;
}

const knownKeys: ReadonlySet<string> = new Set([versionKey, capabilitiesKey, infoKey, levelKey]);

/** Client information that consists of the usual strings only. */
export function isPlainInfo(info: unknown): boolean {
  if (!isRecord(info)) return false;
  for (const key in info) if (!infoFields.has(key)) return false;
  const { name, version, title = "", description = "" } = info;
  const isNamed = typeof name === "string" && typeof version === "string";
  return isNamed && typeof title === "string" && typeof description === "string";
}

const infoFields: ReadonlySet<string> = new Set(["name", "version", "title", "description"]);

/** Capabilities of the usual shape: objects of objects, except for the boolean `listChanged`. */
export function isUsual(capabilities: unknown): boolean {
  if (!isRecord(capabilities)) return false;
  return Object.values(capabilities).every(
    (one) =>
      isRecord(one) &&
      Object.entries(one).every(([key, value]) =>
        key === "listChanged" ? typeof value === "boolean" : isRecord(value),
      ),
  );
}
