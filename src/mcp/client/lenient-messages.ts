import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isRecord } from "../../contract/is-record.js";

type Receive = NonNullable<Transport["onmessage"]>;

/**
 * Fill in what servers of 2026-07-28 forget: the SDK refuses whole answers without `resultType`, and listings without
 * their caching hints.
 */
export function receiveLeniently(
  transport: Transport,
  isModern: () => boolean,
  onMessage: (message: JSONRPCMessage) => void,
): void {
  let receive: Receive | undefined = transport.onmessage;
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => receive,
    set: (given: Receive | undefined) => {
      receive =
        given &&
        ((message, extra) => {
          onMessage(message);
          given(completed(message, isModern()), extra);
        });
    },
  });
}

const cacheable = ["tools", "prompts", "resources", "resourceTemplates", "contents", "supportedVersions"];

function completed<T extends JSONRPCMessage>(message: T, modern: boolean): T {
  if (!("result" in message) || !isRecord(message.result)) return message;
  const { result } = message;
  if (!modern && !Array.isArray(result["supportedVersions"])) return message;
  const isCacheable = cacheable.some((key) => Array.isArray(result[key]));
  if (result["resultType"] !== undefined && (!isCacheable || result["ttlMs"] !== undefined)) return message;
  return {
    ...message,
    result: { resultType: "complete", ...(isCacheable && { ttlMs: 0, cacheScope: "private" }), ...result },
  };
}
