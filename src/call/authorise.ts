import type { AccessDecision } from "../contract/call.js";
import { ToolExecutionError, ToolInternalError, ToolPermissionError } from "../contract/errors.js";
import type { PolicyCall } from "../policy/create-policy.js";
import { takePlain } from "../schema/take-plain.js";
import type { AuthorisedCall, ValidatedCall } from "./call.js";
import { refusedByGuards } from "./check-guards.js";
import { contextOf } from "./context.js";
import { toToolError } from "./failure.js";
import { prepare } from "./prepare.js";
import { shellParts } from "./shell-commands.js";
import { waitAhead } from "./time-limit.js";
import { validateInput } from "./validate.js";

/**
 * Let the policy and the tool's own check decide, the stricter counts; where that says
 * `ask`, a person decides. The only maker of an `AuthorisedCall`.
 */
export function authorise(call: ValidatedCall): AuthorisedCall | Promise<AuthorisedCall> {
  const looking = prepare(call) ?? sandboxLooked(call);
  if (looking !== undefined) return looking.then(() => authorise(call));
  const decision = call.parts.policy.decide(policyCall(call));
  call.decision = decision;
  if (decision.behavior === "deny") throw refusal(call, decision);
  if (decision.behavior === "ask" || call.entry.tool.checkPermissions !== undefined)
    return consult(call, decision);
  return admit(call);
}

/** Whether there is a sandbox decides about commands, so it is looked for before the first of them. */
function sandboxLooked(call: ValidatedCall): Promise<unknown> | undefined {
  return call.entry.tool.shellLine === undefined ? undefined : call.parts.world.lookForSandbox();
}

/** The call as the policy sees it. */
export function policyCall(call: ValidatedCall): PolicyCall {
  const { tool } = call.entry;
  const { annotations, capabilities, securityLevel } = call.settings;
  return {
    toolName: call.entry.name,
    aliases: tool.aliases,
    category: tool.category,
    annotations,
    capabilities,
    securityLevel,
    agent: call.session.agent,
    userId: call.session.userId,
    client: call.session.clientInfo?.name,
    sessionId: call.session.id,
    reads: call.reads,
    writes: call.writes,
    ...(tool.shellLine !== undefined && shellParts(call)),
  };
}

/** The decision of policy and tool together, without asking anybody; a `deny` is returned, not thrown. */
export async function authoriseUnasked(call: ValidatedCall): Promise<AccessDecision> {
  await prepare(call);
  await sandboxLooked(call);
  const decision = call.parts.policy.decide(policyCall(call));
  return decision.behavior === "deny" ? decision : withOwnCheck(call, decision);
}

async function consult(call: ValidatedCall, first: AccessDecision): Promise<AuthorisedCall> {
  const decision = await withOwnCheck(call, first);
  call.decision = decision;
  if (decision.behavior === "deny") throw refusal(call, decision);
  if (decision.behavior === "ask") {
    const refused = refusedByGuards(call);
    if (refused !== undefined) throw refused;
    // Whatever the person let through still passes the policy: consent answers `ask`, never `deny`.
    await call.parts.approvals.request(call, decision);
  }
  return admit(call);
}

/** The stricter of the policy's decision and the tool's own; an input that the tool changed is judged anew. */
async function withOwnCheck(call: ValidatedCall, first: AccessDecision): Promise<AccessDecision> {
  const { tool } = call.entry;
  if (tool.checkPermissions === undefined) return first;
  const own = await askTool(call);
  let decision = first;
  if (own.updatedInput !== undefined) {
    const plain = takePlain(own.updatedInput, call.parts.plainLimits);
    if (!plain.ok) throw new ToolInternalError("checkPermissions returned an input that is no plain data.");
    const validated = validateInput(call, plain.value);
    await prepare(validated);
    const changed = call.parts.policy.decide(policyCall(validated));
    decision = stricter(decision, changed);
  }
  decision = stricter(decision, own.decision);
  return decision.behavior === "ask" && call.parts.policy.mode === "unattended"
    ? unattended(decision)
    : decision;
}

interface OwnAnswer {
  readonly decision: AccessDecision;
  readonly updatedInput: unknown;
}

async function askTool(call: ValidatedCall): Promise<OwnAnswer> {
  try {
    const answer: unknown = await waitAhead(
      call,
      call.entry.tool.checkPermissions?.(call.input, contextOf(call)),
    );
    return toOwnAnswer(call, answer);
  } catch (thrown) {
    const error = toToolError(thrown, call.entry.name);
    // A refusal that the tool threw itself is its answer; anything else must not count as consent.
    if (!(error instanceof ToolExecutionError)) throw error;
    throw new ToolPermissionError(`the tool's own check failed: ${error.message}`, {
      toolName: call.entry.name,
      cause: thrown,
    });
  }
}

/** Only a clear word counts: whatever else the check returned is a denial. */
function toOwnAnswer(call: ValidatedCall, answer: unknown): OwnAnswer {
  const { behavior, message, updatedInput } = Object(answer) as Record<string, unknown>;
  const known = behavior === "allow" || behavior === "ask" || behavior === "deny";
  const fallback = known ? "the tool's own check" : "the tool's own check gave no clear answer";
  return {
    updatedInput,
    decision: {
      behavior: known ? behavior : "deny",
      rule: `tool:${call.entry.name}`,
      source: "tool",
      reason: known && typeof message === "string" && message !== "" ? message : fallback,
    },
  };
}

/** The policy turns its own `ask` into a denial where nobody is to be asked; a tool's counts no less. */
function unattended(decision: AccessDecision): AccessDecision {
  return {
    ...decision,
    behavior: "deny",
    code: "APPROVAL_UNAVAILABLE",
    reason: `${decision.reason}; in unattended mode nobody is asked`,
    hint: "The tool itself wants a person's consent, which no rule replaces: run it in another mode.",
  };
}

const strictness = { allow: 0, ask: 1, deny: 2 };

function stricter(one: AccessDecision, other: AccessDecision): AccessDecision {
  return strictness[other.behavior] > strictness[one.behavior] ? other : one;
}

/** The error of a denial. */
export function refusal(call: ValidatedCall, decision: AccessDecision): ToolPermissionError {
  return new ToolPermissionError(decision.reason, {
    toolName: call.entry.name,
    code: decision.code ?? "ACCESS_DENIED",
    hint:
      decision.hint ??
      `The rule "${decision.rule}" (${decision.source}) decided this; a person can change it.`,
    details: { rule: decision.rule, source: decision.source },
  });
}

function admit(call: ValidatedCall): AuthorisedCall {
  const { quotas, refuseChanges } = call.parts;
  const unsafe = call.settings.annotations.readOnly === true ? undefined : refuseChanges?.();
  if (unsafe !== undefined) throw unsafe;
  if (quotas === undefined || call.counted) return call as AuthorisedCall;
  call.counted = true;
  quotas.take({
    toolName: call.entry.name,
    agent: call.session.agent,
    sessionId: call.session.id,
    taskId: call.taskId,
  });
  return call as AuthorisedCall;
}
