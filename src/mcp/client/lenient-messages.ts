import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isRecord } from "../../contract/is-record.js";
import { idOf, rpcError, rpcErrors } from "../../wire/json-rpc.js";
import { rawResult } from "./any-result.js";
import { boundNesting } from "./parse-messages.js";

type Receive = NonNullable<Transport["onmessage"]>;

interface MessageTaker {
  /** Whether it took the message. */
  readonly take: (message: JSONRPCMessage) => boolean;
  readonly onFault: (message: string) => void;
}

/**
 * Fill in what servers of 2026-07-28 forget: the SDK refuses whole answers without `resultType`, and listings without
 * their caching hints. Answers to calls and the like are passed on under a cover that it accepts: it would refuse them
 * for one odd block, and drop fields that it does not know. What `take` took does not reach it at all.
 */
export function receiveLeniently(
  transport: Transport,
  isModern: () => boolean,
  { take, onFault }: MessageTaker,
): void {
  let receive: Receive | undefined = transport.onmessage;
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => receive,
    set: (given: Receive | undefined) => {
      receive =
        given &&
        ((message, extra) => {
          const bounded = boundNesting(message, onFault);
          if (bounded === undefined || take(bounded)) return;
          const refusal = refusalOf(bounded);
          if (refusal === undefined) return given(completed(bounded, isModern()), extra);
          transport.send(refusal).catch((error: Error) => onFault(error.message));
        });
    },
  });
}

/** The answer to a request whose parameters are not an object: the SDK drops it, and its server would wait for ever. */
function refusalOf(message: JSONRPCMessage): JSONRPCMessage | undefined {
  const { method, params } = message as { method?: unknown; params?: unknown };
  const id = idOf(message);
  if (method === undefined || id === undefined || params === undefined || isRecord(params)) return undefined;
  return rpcError(id, rpcErrors.invalidParams, '"params" must be an object.') as JSONRPCMessage;
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
