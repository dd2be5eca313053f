import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { OversizedLine } from "../../wire/line-reader.js";

const atHead = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/;
/** The last brace closes the message, so an id just before it is the message's own. */
const atTail = /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Marks the error as Tenon's own, not the server's. */
export const ownErrorCode = -32_099;

/** The error that replaces an oversized answer; `undefined` where its id cannot be found. */
export function tooLongAnswer(line: OversizedLine, maxBytes: number): JSONRPCMessage | undefined {
  const id = (atHead.exec(line.head) ?? atTail.exec(line.tail))?.[1];
  if (id === undefined) return undefined;
  const message = `the answer has ${line.bytes} bytes, more than the ${maxBytes} that are allowed`;
  return { jsonrpc: "2.0", id: Number(id), error: { code: ownErrorCode, message } };
}
