import type { AccessDecision } from "../contract/call.js";
import type { ToolError } from "../contract/errors.js";
import type { CommandVerdict, Explanation } from "../policy/explain-call.js";
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
  /** The way out of a denial. */
  readonly hint?: string;
  /** Every rule that has something to say, where it was asked for. */
  readonly considered?: readonly Explanation[];
}

export interface ExplainOptions {
  /** Tell every rule that has something to say, not only the one that decides. @default false */
  readonly considered?: boolean | undefined;
}

/** Decide about a call as the spine would, and stop there: nobody is asked and nothing runs. */
export async function explainCall(
  request: unknown,
  origin: CallOrigin & ExplainOptions,
  parts: SpineParts,
): Promise<Explained> {
  const call = new Call({ ...origin, hypothetical: true }, parts);
  try {
    receive(call, request);
    const validated = validate(resolve(call));
    const decision = await authoriseUnasked(validated);
    const { behavior, rule, source, reason } = decision;
    const refused = refusedByGuards(validated);
    const commands = commandVerdicts(validated);
    return {
      ...(refused === undefined ? { decision: behavior, rule, source, reason } : toRefusal(refused)),
      ...commands,
      ...(origin.considered === true && {
        considered: parts.policy.explainAll(policyCall(validated)),
        ...((refused ?? decision).hint !== undefined && { hint: (refused ?? decision).hint as string }),
      }),
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
