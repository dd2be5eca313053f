import type { AccessDecision } from "../contract/call.js";
import { ToolPermissionError } from "../contract/errors.js";
import type { ApprovalAnswer, ApprovalRequest, InteractBackend } from "../contract/ports/interact.js";
import type { CallSession } from "../contract/session.js";
import type { ToolPreview } from "../contract/tool.js";
import { narrowestRule, ruleText } from "../policy/narrowest-rule.js";
import type { PolicyRule } from "../policy/policy-rule.js";
import { takePlain } from "../schema/take-plain.js";
import { policyCall } from "./authorise.js";
import type { ValidatedCall } from "./call.js";
import { contextOf } from "./context.js";
import { validateInput } from "./validate.js";

/** Asks a person for consent to a call; returns when it may go on, throws when it may not. */
export interface Approvals {
  request(call: ValidatedCall, decision: AccessDecision): Promise<void>;
}

/** Keeps waiting requests, so that a restart can close them as denied. */
export interface ApprovalLog {
  open(request: ApprovalRequest): Promise<void>;
  resolve(id: string, answer: ApprovalAnswer): Promise<void>;
}

export interface ApprovalOptions {
  /** Who can be asked for a session, best first. */
  readonly backendFor: (session: CallSession) => InteractBackend | undefined;
  /** How long a request waits for an answer. */
  readonly timeoutMs: number;
  /** Keep an "always" beyond this process. */
  readonly remember: (rule: PolicyRule) => Promise<unknown>;
  readonly log?: ApprovalLog;
}

type Verdict = ApprovalAnswer["verdict"] | "expired" | "cancelled";

/** The one way to consent: preview, question, answer, and what the answer changes. */
export function createApprovals(options: ApprovalOptions): Approvals {
  return {
    async request(call, decision) {
      const backend = options.backendFor(call.session);
      // The preview comes first: a change that cannot work is refused here and nobody is asked.
      const preview = await call.entry.tool.preview?.(call.input, contextOf(call));
      if (backend === undefined || !backend.available()) throw nobodyThere(call, decision);
      const request = toRequest(call, decision, { preview, timeoutMs: options.timeoutMs });
      const answer = await ask(call, request, { ...options, backend });
      if (answer.verdict === "no") throw refused(call, answer.reason);
      if (answer.updatedArguments !== undefined) takeChanged(call, answer.updatedArguments);
      if (canRemember(decision)) await remember(call, answer.verdict, options);
    },
  };
}

/** A tool that asks by itself asks every time: no rule of the policy can answer for it. */
function canRemember(decision: AccessDecision): boolean {
  return decision.source !== "tool";
}

interface RequestExtras {
  readonly preview: ToolPreview | undefined;
  readonly timeoutMs: number;
}

function toRequest(call: ValidatedCall, decision: AccessDecision, extras: RequestExtras): ApprovalRequest {
  const { parts, session } = call;
  return {
    id: parts.newId(),
    callId: call.callId,
    sessionId: session.id,
    agent: session.agent,
    toolName: call.entry.name,
    arguments: parts.redact(call.input),
    reason: decision.reason,
    decision,
    ...(extras.preview !== undefined && { preview: extras.preview }),
    ...(canRemember(decision) && { alwaysRule: ruleText(narrowestRule(policyCall(call))) }),
    expiresAt: parts.clock.now() + extras.timeoutMs,
  };
}

async function ask(
  call: ValidatedCall,
  request: ApprovalRequest,
  options: ApprovalOptions & { readonly backend: InteractBackend },
): Promise<ApprovalAnswer> {
  const { events, deadlines } = call.parts;
  const expiry = new AbortController();
  const deadline = deadlines.add(options.timeoutMs, () => expiry.abort(expired(call, options.timeoutMs)));
  const stop = call.onAbort((reason) => expiry.abort(reason));
  await options.log?.open(request);
  events.emit("APPROVAL_REQUESTED", request);
  let verdict: Verdict = "cancelled";
  let reason: string | undefined;
  try {
    const answer = await raceSignal(options.backend.approve(request, expiry.signal), expiry.signal);
    verdict = answer.verdict;
    if (answer.verdict === "no") reason = answer.reason;
    return answer;
  } catch (thrown) {
    if (expiry.signal.aborted && call.aborted === undefined) verdict = "expired";
    throw thrown;
  } finally {
    deadlines.remove(deadline);
    stop();
    await options.log?.resolve(request.id, toAnswer(verdict, reason));
    events.emit("APPROVAL_RESOLVED", {
      id: request.id,
      callId: request.callId,
      toolName: request.toolName,
      verdict,
      ...(reason !== undefined && { reason }),
    });
  }
}

function toAnswer(verdict: Verdict, reason: string | undefined): ApprovalAnswer {
  if (verdict === "once" || verdict === "session" || verdict === "always") return { verdict };
  return { verdict: "no", reason: verdict === "no" ? (reason ?? "") : `The request ${verdict === "expired" ? "expired" : "was cancelled"}.` };
}

/** A back end that ignores the signal must not keep the call waiting. */
function raceSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** What the person changed is checked like any input, and a `deny` holds against it too. */
function takeChanged(call: ValidatedCall, changed: unknown): void {
  const plain = takePlain(changed, call.parts.plainLimits);
  if (!plain.ok) throw new ToolPermissionError(`the changed arguments cannot be used: ${plain.issues[0]?.message}`);
  validateInput(call, plain.value);
  const decision = call.parts.policy.decide(policyCall(call));
  if (decision.behavior === "deny") throw refused(call, decision.reason);
  call.note({ argumentsChanged: true });
}

async function remember(
  call: ValidatedCall,
  verdict: "once" | "session" | "always",
  options: ApprovalOptions,
): Promise<void> {
  if (verdict === "once") return;
  const rule = narrowestRule(policyCall(call));
  const { policy } = call.parts;
  if (verdict === "session") {
    policy.addRule("session", rule, { sessionId: call.session.id });
    return;
  }
  await options.remember(rule);
}

function refused(call: ValidatedCall, reason: string | undefined): ToolPermissionError {
  return new ToolPermissionError(reason === undefined || reason === "" ? "the person said no." : `the person said no: ${reason}`, {
    code: "APPROVAL_DENIED",
    toolName: call.entry.name,
    hint: "Do not repeat the call unchanged; ask what they want instead.",
  });
}

function expired(call: ValidatedCall, timeoutMs: number): ToolPermissionError {
  return new ToolPermissionError(`nobody answered within ${Math.round(timeoutMs / 1000)} s.`, {
    code: "APPROVAL_EXPIRED",
    toolName: call.entry.name,
  });
}

function nobodyThere(call: ValidatedCall, decision: AccessDecision): ToolPermissionError {
  const rule = canRemember(decision) ? ruleText(narrowestRule(policyCall(call))) : undefined;
  return new ToolPermissionError(`${decision.reason.replace(/[.\s]+$/, "")}, and nobody is there to ask.`, {
    code: "APPROVAL_UNAVAILABLE",
    toolName: call.entry.name,
    hint: rule === undefined ? "The tool itself wants a person's consent each time; run where one can answer." : `The rule that would allow it: ${rule}.`,
    details: { rule: decision.rule, source: decision.source, ...(rule !== undefined && { wouldAllow: rule }) },
  });
}
