import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { attempt } from "../../contract/errno.js";
import { isTooDeep, maxNesting, mayBeTooDeep } from "../../wire/nesting.js";
import { ownErrorCode } from "./too-long-answer.js";

/** The messages of a line: one, or a batch; `undefined` where it is none. @param onFault Told of what is left out. */
export function parseMessages(
  line: string,
  onFault: (message: string) => void,
): readonly JSONRPCMessage[] | undefined {
  const value = attempt(() => JSON.parse(line) as unknown);
  if (value === undefined) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!list.every(isMessage) || list.length === 0) return undefined;
  return mayBeTooDeep(line) ? list.flatMap((message) => boundNesting(message, onFault) ?? []) : list;
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}

/**
 * A message, or the error in its place where it is nested too deeply: an answer becomes a failure of its call, anything
 * else is left out.
 */
export function boundNesting(
  message: JSONRPCMessage,
  onFault: (message: string) => void,
): JSONRPCMessage | undefined {
  if (!isTooDeep(message)) return message;
  onFault(`it sent a message that is nested deeper than ${maxNesting} levels`);
  if ("method" in message) return undefined;
  const text = `the answer is nested deeper than the ${maxNesting} levels that are allowed`;
  return { jsonrpc: "2.0", id: message.id as number, error: { code: ownErrorCode, message: text } };
}

/** The start of a text, without what a terminal would obey. */
export function excerpt(text: string): string {
  // oxlint-disable-next-line no-control-regex -- what a terminal would obey
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return plain.length <= 160 ? plain : `${plain.slice(0, 159)}…`;
}

/** A failed call or request; what only looks like one costs a search for paths, no more. */
export const errorLine = /"isError":\s*true|"error":\s*\{/;
