import type { AccessDecision } from "../contract/call.js";
import type { ToolError } from "../contract/errors.js";
import type { CommandVerdict, Explanation } from "../policy/explain-call.js";
import { coveringRule, narrowestRule } from "../policy/narrowest-rule.js";
import type { PolicyRule } from "../policy/policy-rule.js";
import { authoriseUnasked } from "./authorise.js";
import type { CallOrigin } from "./call-origin.js";
import { refusedByGuards } from "./check-guards.js";
import { toToolError } from "./failure.js";
import { policyCall, validate, type ValidatedCall } from "./validate.js";
import type { SpineParts } from "./parts.js";
import { accept, receive } from "./receive.js";
import { resolve } from "./resolve.js";

/** The decision about a call, without making it. */
export interface Explained {
  readonly decision: AccessDecision["behavior"];
  readonly rule: string;
  readonly source: string;
  readonly reason: string;
  /** The verdict on each simple command of a shell line. */
  readonly commands?: readonly CommandVerdict[];
  /** What to do about a denial. */
  readonly hint?: string;
  /** Those of the `changes` that rules about paths deny or ask about. */
  readonly changes?: readonly ExplainedChange[];
  /** Every rule that applies, if `considered` was set. */
  readonly considered?: readonly Explanation[];
  /** The narrowest rule that would allow the call, if there is one and `considered` was set. */
  readonly allowRule?: PolicyRule;
  /** The setting that would lift the limit behind a denial, if there is one and `considered` was set. */
  readonly liftedBy?: AccessDecision["liftedBy"];
}

/** A changed path that would not be committed by itself. */
export interface ExplainedChange {
  readonly path: string;
  readonly decision: "ask" | "deny";
  readonly rule: string;
}

/** The fields of an explanation. */
export interface ExplainOptions {
  /** Paths that the command of the call changed, relative to the workspace: each is judged as its commit would. */
  readonly changes?: readonly string[] | undefined;
  /** List every rule that applies, not only the one that decides. @default false */
  readonly considered?: boolean | undefined;
}

/** Decide about a call like the real path, and stop there: no person is asked and nothing runs. */
export async function explainCall(
  request: unknown,
  origin: CallOrigin & ExplainOptions,
  parts: SpineParts,
): Promise<Explained> {
  const received = receive(request, { ...origin, hypothetical: true }, parts);
  try {
    accept(received);
    const { call, decision } = await authoriseUnasked(validate(resolve(received)));
    const { behavior, rule, source, reason } = decision;
    const refused = refusedByGuards(call);
    const commands = commandVerdicts(call);
    const changes = changeVerdicts(call, origin.changes ?? []);
    return {
      ...(refused === undefined ? { decision: behavior, rule, source, reason } : toRefusal(refused)),
      ...commands,
      ...(changes.length > 0 && { changes }),
      ...(origin.considered === true && {
        considered: parts.policy.explainAll(policyCall(call)),
        ...((refused ?? decision).hint !== undefined && { hint: (refused ?? decision).hint as string }),
        ...(refused === undefined && allowingRule(call, decision)),
        ...(refused === undefined && decision.liftedBy && { liftedBy: decision.liftedBy }),
      }),
    };
  } catch (thrown) {
    return toRefusal(toToolError(thrown, received.toolName));
  } finally {
    received.state.end();
  }
}

/** A rule cannot replace the consent that a tool itself asks for, nor allow what cannot be granted for good. */
function allowingRule(
  call: ValidatedCall,
  { behavior, source }: AccessDecision,
): Pick<Explained, "allowRule"> {
  if (behavior === "allow" || source === "tool") return {};
  const [judged, reads] = [policyCall(call), refusedReads(call)];
  const rule = narrowestRule(judged, reads);
  if (rule.decision === "allow") return { allowRule: rule };
  // A person overrules their own rule for one call at a time, so that calls that cannot be allowed permanently can be allowed once.
  const isOwn = source === "user" || source === "command-line";
  return isOwn ? { allowRule: coveringRule(judged, reads) } : {};
}

/** What a command would read that rules about paths deny or ask about. */
function refusedReads(call: ValidatedCall): string[] {
  if (call.shell === undefined) return [];
  const judged = policyCall(call);
  const rulings = call.state.parts.policy.commandPaths(judged);
  return judged.reads.flatMap((resource) => {
    const decision = "path" in resource ? rulings?.judge(resource.path, "read")?.decision : undefined;
    return "path" in resource && (decision ?? "allow") !== "allow" ? [resource.path] : [];
  });
}

function commandVerdicts(call: ValidatedCall): Pick<Explained, "commands"> {
  if (call.shell === undefined) return {};
  const commands = call.state.parts.policy.explainCommands(policyCall(call));
  return commands.length === 0 ? {} : { commands };
}

function changeVerdicts(call: ValidatedCall, paths: readonly string[]): ExplainedChange[] {
  if (call.shell === undefined || paths.length === 0) return [];
  const rulings = call.state.parts.policy.commandPaths(policyCall(call));
  return paths.flatMap((path) => {
    const { decision, rule } = rulings?.judge(path, "write") ?? {};
    return rule === undefined || decision === undefined || decision === "allow"
      ? []
      : [{ path, decision, rule }];
  });
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
