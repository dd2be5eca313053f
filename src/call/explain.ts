import type { AccessDecision } from "../contract/call.js";
import type { ToolError } from "../contract/errors.js";
import { authoriseUnasked } from "./authorise.js";
import { Call, type CallOrigin } from "./call.js";
import { refusedByGuards } from "./check-guards.js";
import { toToolError } from "./failure.js";
import type { SpineParts } from "./parts.js";
import { receive } from "./receive.js";
import { resolve } from "./resolve.js";
import { validate } from "./validate.js";

/** What would be decided about a call. */
export interface Explained {
  readonly decision: AccessDecision["behavior"];
  readonly rule: string;
  readonly source: string;
  readonly reason: string;
}

/** Decide about a call as the spine would, and stop there: nobody is asked and nothing runs. */
export async function explainCall(
  request: unknown,
  origin: CallOrigin,
  parts: SpineParts,
): Promise<Explained> {
  const call = new Call({ ...origin, hypothetical: true }, parts);
  try {
    receive(call, request);
    const validated = validate(resolve(call));
    const { behavior, rule, source, reason } = await authoriseUnasked(validated);
    const refused = refusedByGuards(validated);
    return refused === undefined ? { decision: behavior, rule, source, reason } : toRefusal(refused);
  } catch (thrown) {
    return toRefusal(toToolError(thrown, call.toolName));
  } finally {
    call.end();
  }
}

function toRefusal(error: ToolError): Explained {
  const rule = error.details?.["rule"];
  const source = error.details?.["source"];
  return {
    decision: "deny",
    rule: typeof rule === "string" ? rule : `spine:${error.code}`,
    source: typeof source === "string" ? source : "spine",
    reason: error.message,
  };
}
