import type { AccessDecision } from "../contract/call.js";
import type { ToolError } from "../contract/errors.js";
import type { CommandVerdict } from "../policy/explain-call.js";
import { authoriseUnasked, policyCall } from "./authorise.js";
import { Call, type CallOrigin, type ValidatedCall } from "./call.js";
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
  /** The verdict on each simple command of a shell line. */
  readonly commands?: readonly CommandVerdict[];
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
    const commands = commandVerdicts(validated);
    return {
      ...(refused === undefined ? { decision: behavior, rule, source, reason } : toRefusal(refused)),
      ...commands,
    };
  } catch (thrown) {
    return toRefusal(toToolError(thrown, call.toolName));
  } finally {
    call.end();
  }
}

function commandVerdicts(call: ValidatedCall): Pick<Explained, "commands"> {
  if (call.entry.tool.shellLine === undefined) return {};
  const commands = call.parts.policy.explainCommands(policyCall(call));
  return commands.length === 0 ? {} : { commands };
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
