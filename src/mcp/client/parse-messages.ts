import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { attempt } from "../../contract/errno.js";

/** The messages of a line: one, or a batch; `undefined` where it is none. */
export function parseMessages(line: string): readonly JSONRPCMessage[] | undefined {
  const value = attempt(() => JSON.parse(line) as unknown);
  if (value === undefined) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.every(isMessage) && list.length > 0 ? list : undefined;
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}

/** The start of a text, without what a terminal would obey. */
export function excerpt(text: string): string {
  // oxlint-disable-next-line no-control-regex -- what a terminal would obey
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return plain.length <= 160 ? plain : `${plain.slice(0, 159)}…`;
}

/** A failed call or request; what only looks like one costs a search for paths, no more. */
export const errorLine = /"isError":\s*true|"error":\s*\{/;
