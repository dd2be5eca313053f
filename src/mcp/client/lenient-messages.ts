import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isRecord } from "../../contract/is-record.js";
import { rawResult } from "./any-result.js";

type Receive = NonNullable<Transport["onmessage"]>;

/**
 * Fill in what servers of 2026-07-28 forget: the SDK refuses whole answers without `resultType`, and listings without
 * their caching hints. Answers to calls and the like are passed on under a cover that it accepts: it would refuse them
 * for one odd block, and drop fields that it does not know. What `take` took does not reach it at all.
 */
export function receiveLeniently(
  transport: Transport,
  isModern: () => boolean,
  take: (message: JSONRPCMessage) => boolean,
): void {
  let receive: Receive | undefined = transport.onmessage;
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => receive,
    set: (given: Receive | undefined) => {
      receive =
        given &&
        ((message, extra) => {
          if (!take(message)) given(completed(message, isModern()), extra);
        });
    },
  });
}

const cacheable = ["tools", "prompts", "resources", "resourceTemplates", "supportedVersions"];
const answers = ["content", "structuredContent", "messages", "contents", "completion"];

/** A valid answer to all of these requests. */
const cover = {
  resultType: "complete",
  content: [],
  messages: [],
  contents: [],
  completion: { values: [] },
  ttlMs: 0,
  cacheScope: "private",
};

function completed<T extends JSONRPCMessage>(message: T, modern: boolean): T {
  if (!("result" in message) || !isRecord(message.result)) return message;
  const { result } = message;
  if (!modern && !Array.isArray(result["supportedVersions"])) return message;
  if (answers.some((key) => key in result) && (result["resultType"] ?? "complete") === "complete")
    return { ...message, result: { ...cover, [rawResult]: result } };
  const isCacheable = cacheable.some((key) => Array.isArray(result[key]));
  if (result["resultType"] !== undefined && (!isCacheable || result["ttlMs"] !== undefined)) return message;
  return {
    ...message,
    result: { resultType: "complete", ...(isCacheable && { ttlMs: 0, cacheScope: "private" }), ...result },
  };
}
