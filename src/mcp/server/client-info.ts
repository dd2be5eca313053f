import type { ClientInfo } from "../../contract/ports/approval.js";

const maxChars = 200;

/** What a host says of itself, cut to what can be shown; `undefined` where it says nothing usable. */
export function toClientInfo(said: unknown): ClientInfo | undefined {
  const { name, version, title } = Object(said) as Record<string, unknown>;
  const shown = textOf(name) ?? textOf(title);
  if (shown === undefined) return undefined;
  const [ownVersion, ownTitle] = [textOf(version), textOf(title)];
  return Object.freeze({
    name: shown,
    ...(ownVersion !== undefined && { version: ownVersion }),
    ...(ownTitle !== undefined && { title: ownTitle }),
  });
}

/** The key under which requests of 2026-07-28 name their client. */
export const clientInfoKey = "io.modelcontextprotocol/clientInfo";

function textOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.slice(0, maxChars).toWellFormed().trim();
  return text === "" ? undefined : text;
}
