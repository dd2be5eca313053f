import type { AccessDecision } from "../contract/call.js";
import type { ToolError } from "../contract/errors.js";
import { authoriseUnasked, policyCall } from "./authorise.js";
import { Call, type CallOrigin, type ValidatedCall } from "./call.js";
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
export async function explainCall(request: unknown, origin: CallOrigin, parts: SpineParts): Promise<Explained> {
  const call = new Call({ ...origin, hypothetical: true }, parts);
  try {
    receive(call, request);
    const validated = validate(resolve(call));
    const { behavior, rule, source, reason } = await authoriseUnasked(validated);
    return refusedByGuard(validated) ?? { decision: behavior, rule, source, reason };
  } catch (thrown) {
    return toRefusal(toToolError(thrown, call.toolName));
  } finally {
    call.end();
  }
}

/** The guard stands behind the policy: what it will refuse is no matter of rules. */
function refusedByGuard(call: ValidatedCall): Explained | undefined {
  const { reads, writes } = policyCall(call);
  for (const [access, resources] of [["read", reads], ["write", writes]] as const) {
    for (const resource of resources) {
      const path = "path" in resource ? resource.path : "tree" in resource ? resource.tree : undefined;
      if (path === undefined) continue;
      const verdict = call.parts.world.checkPath(path, access);
      if (!verdict.allowed) return { decision: "deny", rule: `guard:${verdict.code}`, source: "guard", reason: verdict.reason };
    }
  }
  return undefined;
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
