import { messageOf } from "../../contract/message-of.js";
import { rpcError, rpcErrors, type WireMessage } from "../../wire/json-rpc.js";
import { structuredText } from "./to-call-result.js";

/** An answer as JSON. */
export function answerText(answer: WireMessage): string {
  return answerPieces(answer).join("");
}

/** The same in pieces, which joined are the text; a large result that the log has written already is not written again. */
export function answerPieces(answer: WireMessage): readonly string[] {
  try {
    return toPieces(answer);
  } catch (error) {
    // Longer than a string can be.
    return [JSON.stringify(rpcError(answer.id ?? null, rpcErrors.internal, messageOf(error)))];
  }
}

function toPieces(answer: WireMessage): readonly string[] {
  const result = answer.result as KnownResult | undefined;
  const known = result?.[structuredText];
  if (result === undefined || known === undefined) return [JSON.stringify(answer)];
  const { structuredContent } = result;
  // Left out for a moment: a copy without it takes longer than all the rest.
  result.structuredContent = undefined;
  try {
    return [JSON.stringify(answer).slice(0, -2), ',"structuredContent":', known, "}}"];
  } finally {
    result.structuredContent = structuredContent;
  }
}

interface KnownResult {
  structuredContent?: unknown;
  readonly [structuredText]?: string;
}
