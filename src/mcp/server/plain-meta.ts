import { isRecord } from "../../contract/is-record.js";
import { logLevels } from "../log-levels.js";
import { hasProtocolMeta } from "../../wire/json-rpc.js";

const versionKey = "io.modelcontextprotocol/protocolVersion";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const levelKey = "io.modelcontextprotocol/logLevel";
const infoKey = "io.modelcontextprotocol/clientInfo";

/** Whether the `_meta` is that of a plain request of 2026-07-28; anything unusual is for the SDK to judge. */
export function isModernMeta({
  [versionKey]: version,
  [capabilitiesKey]: capabilities,
  ...rest
}: Readonly<Record<string, unknown>>): boolean {
  const { [infoKey]: info, [levelKey]: level, ...others } = rest;
  const hasPlainInfo = info === undefined || isPlainInfo(info);
  if (level !== undefined && !logLevels.includes(level as string)) return false;
  return version === "2026-07-28" && isUsual(capabilities) && hasPlainInfo && !hasProtocolMeta(others);
}

/** Client information that consists of the usual strings only. */
export function isPlainInfo(info: unknown): boolean {
  if (!isRecord(info)) return false;
  const { name, version, title = "", description = "", ...others } = info;
  const areStrings = [name, version, title, description].every((value) => typeof value === "string");
  return areStrings && Object.keys(others).length === 0;
}

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
