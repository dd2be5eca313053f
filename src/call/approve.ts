import type { AccessDecision } from "../contract/call.js";
import { ToolPermissionError } from "../contract/errors.js";
import type { ApprovalChannel, ApprovalRequest, InteractBackend } from "../contract/ports/interact.js";
import type { CallSession } from "../contract/session.js";
import type { ToolPreview } from "../contract/tool.js";
import { narrowestRule, ruleText } from "../policy/narrowest-rule.js";
import type { PolicyRule } from "../policy/policy-rule.js";
import { levelOf } from "../policy/traits.js";
import { toPlainResult } from "../schema/plain-result.js";
import { takePlain } from "../schema/take-plain.js";
import { boundPreview } from "./bound-preview.js";
import { askConsent, keep, type ApprovalLog } from "./ask-consent.js";
import { authoriseUnasked, policyCall, refusal } from "./authorise.js";
import type { ValidatedCall } from "./call.js";
import { contextOf } from "./context.js";
import { analysisOf, commandLines } from "./shell-commands.js";
import { waitAhead } from "./time-limit.js";
import { validateInput } from "./validate.js";

/** Asks a person for consent to a call; returns when it may go on, throws when it may not. */
export interface Approvals {
  request(call: ValidatedCall, decision: AccessDecision): Promise<void>;
}

export interface ApprovalOptions {
  /** Who can be asked for a session, best first. */
  readonly backendFor: (session: CallSession) => InteractBackend | undefined;
  /** How long a request waits for an answer. */
  readonly timeoutMs: number;
  /** Keep an "always" beyond this process. */
  readonly remember: (rule: PolicyRule) => Promise<unknown>;
  /** Keep an answer for as long as the session lasts. */
  readonly rememberForSession: (sessionId: string, rule: PolicyRule) => Promise<unknown>;
  readonly log?: ApprovalLog;
}

/** The one way to consent: preview, question, answer, and what the answer changes. */
export function createApprovals(options: ApprovalOptions): Approvals {
  return {
    async request(call, decision) {
      const backend = options.backendFor(call.session);
      // The preview comes first: a change that cannot work is refused here and nobody is asked.
      const preview = await previewOf(call);
      if (backend === undefined || !isThere(backend)) throw nobodyThere(call, decision);
      const request = toRequest(call, decision, {
        preview,
        timeoutMs: options.timeoutMs,
        channels: [backend.channel ?? "callback"],
      });
      const answer = await askConsent(call, request, {
        ...options,
        backend,
        wayOut: wayOut(allowingRule(call, decision)),
      });
      if (answer.verdict === "no") throw refused(call, answer.reason);
      if (answer.updatedArguments !== undefined) await takeChanged(call, answer.updatedArguments);
      if (canRemember(decision)) await remember(call, answer.verdict, options);
    },
  };
}

/** A tool that asks by itself asks every time: no rule of the policy can answer for it. */
function canRemember(decision: AccessDecision): boolean {
  return decision.source !== "tool";
}

/** A back end that cannot say whether anybody is there reaches nobody. */
function isThere(backend: InteractBackend): boolean {
  try {
    const there: unknown = backend.available();
    return there === true;
  } catch {
    return false;
  }
}

/** What the call would do, as data that can be shown and kept. */
async function previewOf(call: ValidatedCall): Promise<ToolPreview | undefined> {
  const { tool } = call.entry;
  const own =
    tool.preview === undefined ? undefined : await waitAhead(call, tool.preview(call.input, contextOf(call)));
  const analysis = analysisOf(call);
  if (own === undefined && analysis === undefined) return undefined;
  const preview =
    analysis === undefined
      ? own
      : { summary: "Run in a shell", ...own, commands: own?.commands ?? commandLines(analysis) };
  // Bounded last: what is cut first could leave half of a secret standing.
  return boundPreview(call.parts.redact(toPlainResult(preview).value));
}

interface RequestExtras {
  readonly preview: ToolPreview | undefined;
  readonly timeoutMs: number;
  readonly channels: readonly ApprovalChannel[];
}

function toRequest(call: ValidatedCall, decision: AccessDecision, extras: RequestExtras): ApprovalRequest {
  const { parts, session } = call;
  const allowing = allowingRule(call, decision);
  const now = parts.clock.now();
  return {
    id: parts.newId(),
    callId: call.callId,
    ...(call.root !== call && { rootCallId: call.root.callId }),
    sessionId: session.id,
    ...(call.taskId !== undefined && { taskId: call.taskId }),
    agent: session.agent,
    ...(session.userId !== undefined && { userId: session.userId }),
    ...(session.clientInfo !== undefined && { client: session.clientInfo }),
    toolName: call.entry.name,
    risk: levelOf(policyCall(call)),
    arguments: parts.redact(toPlainResult(call.input).value),
    reason: decision.reason,
    decision,
    ...(extras.preview !== undefined && { preview: extras.preview }),
    ...(allowing !== undefined && { alwaysRule: allowing }),
    channels: extras.channels,
    requestedAt: now,
    expiresAt: now + extras.timeoutMs,
  };
}

/** What the person changed is checked like any input, and a `deny` of policy or tool holds against it too. */
async function takeChanged(call: ValidatedCall, changed: unknown): Promise<void> {
  const plain = takePlain(changed, call.parts.plainLimits);
  if (!plain.ok)
    throw new ToolPermissionError(`the changed arguments cannot be used: ${plain.issues[0]?.message}`);
  validateInput(call, plain.value);
  const decision = await authoriseUnasked(call);
  if (decision.behavior === "deny") throw refusal(call, decision);
  call.note({ argumentsChanged: true });
}

async function remember(
  call: ValidatedCall,
  verdict: "once" | "session" | "always",
  options: ApprovalOptions,
): Promise<void> {
  if (verdict === "once") return;
  const rule = narrowestRule(policyCall(call));
  if (rule.decision !== "allow") return;
  const keeping =
    verdict === "session" ? options.rememberForSession(call.session.id, rule) : options.remember(rule);
  await keep(call, keeping);
}

function refused(call: ValidatedCall, reason: string | undefined): ToolPermissionError {
  return new ToolPermissionError(
    reason === undefined || reason === "" ? "the person said no." : `the person said no: ${reason}`,
    {
      code: "APPROVAL_DENIED",
      toolName: call.entry.name,
      hint: "Do not repeat the call unchanged; ask what they want instead.",
    },
  );
}

function nobodyThere(call: ValidatedCall, decision: AccessDecision): ToolPermissionError {
  const { rule, source } = decision;
  const allowing = allowingRule(call, decision);
  return new ToolPermissionError(`${decision.reason.replace(/[.\s]+$/, "")}, and nobody is there to ask.`, {
    code: "APPROVAL_UNAVAILABLE",
    toolName: call.entry.name,
    hint: wayOut(allowing),
    details: { rule, source, ...(allowing !== undefined && { wouldAllow: allowing }) },
  });
}

/** The rule that would allow such calls; none where no rule can, as for a line that an interpreter would run. */
function allowingRule(call: ValidatedCall, decision: AccessDecision): string | undefined {
  if (!canRemember(decision)) return undefined;
  const rule = narrowestRule(policyCall(call));
  return rule.decision === "allow" ? ruleText(rule) : undefined;
}

function wayOut(allowing: string | undefined): string {
  if (allowing !== undefined) return `The rule that would allow it: ${allowing}.`;
  return "The tool itself wants a person's consent each time; run where one can answer.";
}
