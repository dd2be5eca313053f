import type { AccessDecision } from "../contract/call.js";
import {
  ToolExecutionError,
  ToolInternalError,
  ToolPermissionError,
  type ToolError,
} from "../contract/errors.js";
import type { ToolEntry } from "../registry/tool-entry.js";
import { copyLimits, takePlain } from "../schema/take-plain.js";
import type { Lock } from "../scheduler/locks.js";
import { type CallState, waitAhead } from "./call-state.js";
import { canAskAfter } from "./ask-after.js";
import { refusedByGuards, refusedByWhitelist } from "./check-guards.js";
import { contextOf } from "./context.js";
import { toToolError } from "./failure.js";
import type { ToolSettings } from "./parts.js";
import { claimAgain, policyCall, validateInput, type ValidatedCall } from "./validate.js";

/** A call that the policy, the tool and, if needed, a person have allowed. Only `authorise` creates one. */
class AuthorisedCall {
  declare protected readonly stage: "authorised";
  declare readonly state: CallState;
  declare readonly validated: ValidatedCall;
  declare readonly entry: ToolEntry;
  declare readonly settings: ToolSettings;
  declare readonly decision: AccessDecision;

  constructor(validated: ValidatedCall, decision: AccessDecision) {
    this.state = validated.state;
    this.validated = validated;
    this.entry = validated.entry;
    this.settings = validated.settings;
    this.decision = decision;
  }
}

export type { AuthorisedCall };

/** The stricter of the policy and the tool's own check decides; if that says `ask`, a person decides. */
export function authorise(call: ValidatedCall): AuthorisedCall | Promise<AuthorisedCall> {
  const { tool } = call.entry;
  if (tool.prepare === undefined && tool.shellLine === undefined) return judge(call);
  const preparing = prepareToJudge(call);
  if (preparing === undefined) return judge(call);
  call.state.delayed = true;
  return preparing.then(judge);
}

function judge(call: ValidatedCall): AuthorisedCall | Promise<AuthorisedCall> {
  const decision = call.state.parts.policy.decide(policyCall(call));
  call.state.decision = decision;
  if (decision.behavior === "deny") throw denied(call, decision);
  if (decision.behavior === "ask" || call.entry.tool.checkPermissions !== undefined)
    return consult(call, decision);
  return admit(call, decision);
}

/** Find out what has to be known before the call is judged; `undefined` if that is known already. */
function prepareToJudge(call: ValidatedCall): Promise<ValidatedCall> | undefined {
  const preparing = prepare(call);
  if (preparing === undefined) return findSandbox(call);
  return preparing.then((prepared) => findSandbox(prepared) ?? prepared);
}

/** Let a tool that runs in another process say what it will touch; `undefined` if that is known for this input. */
function prepare(call: ValidatedCall): Promise<ValidatedCall> | undefined {
  const preparing = call.entry.tool.prepare?.(call.input, contextOf(call.resolved));
  return preparing === undefined ? undefined : claimAfter(call, preparing);
}

async function claimAfter(call: ValidatedCall, preparing: Promise<void>): Promise<ValidatedCall> {
  const { name } = call.entry;
  try {
    await waitAhead(call, preparing);
  } catch (thrown) {
    const error = toToolError(thrown, name);
    // Wrong arguments and tools that cannot be reached have errors of their own.
    if (!(error instanceof ToolExecutionError)) throw error;
    throw new ToolInternalError(`"${name}" could not say what it will touch: ${error.message}`, {
      cause: thrown,
      hint: "The tool's resources() and shellLine() must not throw for valid input.",
    });
  }
  return claimAgain(call);
}

/** Commands are judged by whether there is a sandbox, so it is looked for before the first of them. */
function findSandbox(call: ValidatedCall): Promise<ValidatedCall> | undefined {
  if (call.entry.tool.shellLine === undefined) return undefined;
  return call.state.parts.world.lookForSandbox()?.then(() => call);
}

/** A decision, and the call that it is about: the tool may have changed its input. */
interface Judged {
  readonly call: ValidatedCall;
  readonly decision: AccessDecision;
}

/** The decision of policy and tool together, without asking anybody; a `deny` is returned, not thrown. */
export async function authoriseUnasked(unprepared: ValidatedCall): Promise<Judged> {
  const call = (await prepareToJudge(unprepared)) ?? unprepared;
  const decision = call.state.parts.policy.decide(policyCall(call));
  return decision.behavior === "deny" ? { call, decision } : withOwnCheck(call, decision);
}

async function consult(asked: ValidatedCall, first: AccessDecision): Promise<AuthorisedCall> {
  asked.state.delayed = true;
  const { call, decision } = await withOwnCheck(asked, first);
  call.state.decision = decision;
  if (decision.behavior === "deny") throw refusal(call, decision);
  if (decision.behavior !== "ask") return admit(call, decision);
  const refused = refusedByGuards(call);
  if (refused !== undefined) throw refused;
  if (await canAskAfter(call, decision)) {
    call.state.askAfter = { ...decision, reason: `${decision.reason}; it runs on a layer first` };
    call.state.decision = call.state.askAfter;
    return admit(call, call.state.askAfter);
  }
  // The policy still applies after consent: consent answers `ask`, but never overrides `deny`.
  return admit(await call.state.parts.approvals.request(call, decision), decision);
}

/** The stricter of the policy's decision and the tool's own; an input that the tool changed is judged again. */
async function withOwnCheck(call: ValidatedCall, first: AccessDecision): Promise<Judged> {
  if (call.entry.tool.checkPermissions === undefined) return { call, decision: first };
  const { policy } = call.state.parts;
  const own = await askTool(call);
  let judged = call;
  let decision = first;
  if (own.updatedInput !== undefined) {
    // These limits apply to callers; a tool may list every file of a command that changed more than that.
    const plain = takePlain(own.updatedInput, copyLimits);
    if (!plain.ok)
      throw new ToolInternalError("checkPermissions returned an updatedInput that is not plain data.");
    const changed = validateInput(call.resolved, plain.value);
    judged = (await prepare(changed)) ?? changed;
    decision = stricter(decision, policy.decide(policyCall(judged)));
  }
  decision = stricter(decision, own.decision);
  const isUnattended = decision.behavior === "ask" && policy.mode === "unattended";
  return { call: judged, decision: isUnattended ? unattended(decision) : decision };
}

interface OwnAnswer {
  readonly decision: AccessDecision;
  readonly updatedInput: unknown;
}

async function askTool(call: ValidatedCall): Promise<OwnAnswer> {
  try {
    const answer: unknown = await waitAhead(
      call,
      call.entry.tool.checkPermissions?.(call.input, contextOf(call.resolved)),
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

/** Only a known behavior counts: anything else that the check returned is a denial. */
function toOwnAnswer(call: ValidatedCall, answer: unknown): OwnAnswer {
  const { behavior, message, updatedInput } = Object(answer) as Record<string, unknown>;
  const known = behavior === "allow" || behavior === "ask" || behavior === "deny";
  const fallback = known ? "the tool's own check" : "the tool's own check returned no valid behavior";
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

/** In unattended mode the policy turns its own `ask` into a denial; a tool's `ask` is treated the same. */
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
  if (one.behavior !== other.behavior)
    return strictness[other.behavior] > strictness[one.behavior] ? other : one;
  return (other.approvals ?? 1) > (one.approvals ?? 1) ? other : one;
}

/** If nobody can be asked, the hint names a rule that would allow the call, unless a guard refuses it, which no rule can change. */
function denied(call: ValidatedCall, decision: AccessDecision): ToolError {
  const refused = decision.code === "APPROVAL_UNAVAILABLE" ? refusedByGuards(call) : undefined;
  return refused ?? refusal(call, decision);
}

export function refusal(call: ValidatedCall, decision: AccessDecision): ToolPermissionError {
  return new ToolPermissionError(decision.reason, {
    toolName: call.entry.name,
    code: decision.code ?? "ACCESS_DENIED",
    hint: decision.hint ?? hintAbout(decision),
    details: { rule: decision.rule, source: decision.source },
  });
}

function hintAbout({ rule, source }: AccessDecision): string {
  return source === "built-in"
    ? `The rule "${rule}" is built in. Use another approach.`
    : `The rule "${rule}" (${source}) decided this; a person can change it.`;
}

function admit(call: ValidatedCall, decision: AccessDecision): AuthorisedCall {
  const { state, settings } = call;
  const { quotas, refuseChanges } = state.parts;
  const unsafe = settings.annotations.readOnly === true ? undefined : refuseChanges?.();
  if (unsafe !== undefined) throw unsafe;
  // Files are guarded where they are opened; a command names its paths only here.
  const outside = call.shell === undefined ? undefined : refusedByWhitelist(call);
  if (outside !== undefined) throw outside;
  if (quotas !== undefined && !state.counted) {
    state.counted = true;
    quotas.take({
      toolName: call.entry.name,
      agent: state.session.agent,
      sessionId: state.session.id,
      userId: state.session.userId,
      endpoint: state.session.endpoint,
      taskId: call.received.taskId,
    });
  }
  return new AuthorisedCall(call, decision);
}

/** Carry an authorisation over to a newer version of the tool; `undefined` if it needs other locks or consent. */
export function carryOver(call: AuthorisedCall, moved: ValidatedCall): AuthorisedCall | undefined {
  const { tool } = moved.entry;
  if (tool.prepare !== undefined) return undefined; // what it touches is not known yet
  if (tool.checkPermissions !== undefined || !haveEqualLocks(call.validated, moved)) return undefined;
  const { behavior, approvals = 1 } = call.state.parts.policy.decide(policyCall(moved));
  const isCovered =
    behavior === "allow" ||
    (behavior === call.decision.behavior && approvals <= (call.decision.approvals ?? 1));
  return isCovered ? new AuthorisedCall(moved, call.decision) : undefined;
}

function haveEqualLocks({ locks: one }: ValidatedCall, { locks: other }: ValidatedCall): boolean {
  if (one.length !== other.length) return false;
  const keys = new Set(one.map(lockKey));
  return other.every((lock) => keys.has(lockKey(lock)));
}

function lockKey({ space, key, write, partial }: Lock): string {
  return `${space}:${write}:${partial === true}:${key}`;
}
