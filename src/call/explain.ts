import type { AccessDecision } from "../contract/call.js";
import type { ToolError } from "../contract/errors.js";
import type { CommandVerdict, Explanation } from "../policy/explain-call.js";
import { authoriseUnasked } from "./authorise.js";
import type { CallOrigin } from "./call-origin.js";
import { refusedByGuards } from "./check-guards.js";
import { toToolError } from "./failure.js";
import { validateMeant, policyCall, type ValidatedCall } from "./validate.js";
import type { SpineParts } from "./parts.js";
import { accept, receive } from "./receive.js";
import { resolve } from "./resolve.js";

/** What would be decided about a call. */
export interface Explained {
  readonly decision: AccessDecision["behavior"];
  readonly rule: string;
  readonly source: string;
  readonly reason: string;
  /** The verdict on each simple command of a shell line. */
  readonly commands?: readonly CommandVerdict[];
  /** What to do about a denial. */
  readonly hint?: string;
  /** Every rule that applies, if `considered` was set. */
  readonly considered?: readonly Explanation[];
}

export interface ExplainOptions {
  /** List every rule that applies, not only the one that decides. @default false */
  readonly considered?: boolean | undefined;
}

/** Decide about a call as the spine would, and stop there: nobody is asked and nothing runs. */
export async function explainCall(
  request: unknown,
  origin: CallOrigin & ExplainOptions,
  parts: SpineParts,
): Promise<Explained> {
  const received = receive(request, { ...origin, hypothetical: true }, parts);
  try {
    accept(received);
    const { call, decision } = await authoriseUnasked(validateMeant(resolve(received)));
    const { behavior, rule, source, reason } = decision;
    const refused = refusedByGuards(call);
    const commands = commandVerdicts(call);
    return {
      ...(refused === undefined ? { decision: behavior, rule, source, reason } : toRefusal(refused)),
      ...commands,
      ...(origin.considered === true && {
        considered: parts.policy.explainAll(policyCall(call)),
        ...((refused ?? decision).hint !== undefined && { hint: (refused ?? decision).hint as string }),
      }),
    };
  } catch (thrown) {
    return toRefusal(toToolError(thrown, received.toolName));
  } finally {
    received.state.end();
  }
}

function commandVerdicts(call: ValidatedCall): Pick<Explained, "commands"> {
  if (call.shell === undefined) return {};
  const commands = call.state.parts.policy.explainCommands(policyCall(call));
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
