import type { JSONRPCMessage } from "@modelcontextprotocol/client";

const atHead = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/;
/** The last brace closes the message, so an id just before it is the message's own. */
const atTail = /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** The failure to put in the place of an answer that is too long to be read; none where its id cannot be seen. */
export function tooLongAnswer(
  head: string,
  tail: string,
  size: { readonly bytes: number; readonly limit: number },
): JSONRPCMessage | undefined {
  const id = (atHead.exec(head) ?? atTail.exec(tail))?.[1];
  if (id === undefined) return undefined;
  const message = `the answer has ${size.bytes} bytes, more than the ${size.limit} that are allowed`;
  return { jsonrpc: "2.0", id: Number(id), error: { code: -32_000, message } };
}
