import { messageOf } from "../../contract/message-of.js";
import { resultTextOf } from "../../contract/tool-result.js";
import { rpcError, rpcErrors, type WireMessage } from "../../wire/json-rpc.js";

/** An answer as JSON; a large result that the log has written already is not written again. */
export function answerText(answer: WireMessage): string {
  try {
    return toText(answer);
  } catch (error) {
    // Longer than a string can be.
    return JSON.stringify(rpcError(answer.id ?? null, rpcErrors.internal, messageOf(error)));
  }
}

function toText(answer: WireMessage): string {
  const { result, ...envelope } = answer as WireMessage & { readonly result?: object };
  const { structuredContent, ...others } = (result ?? {}) as { readonly structuredContent?: unknown };
  const known = resultTextOf(structuredContent);
  if (known === undefined) return JSON.stringify(answer);
  const fields = JSON.stringify(others).slice(1, -1);
  return `${JSON.stringify(envelope).slice(0, -1)},"result":{${fields},"structuredContent":${known}}}`;
}
