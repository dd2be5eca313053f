import type { AccessDecision } from "../contract/call.js";
import { ToolPermissionError } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { ApprovalChannel, ApprovalRequest, ApprovalRule } from "../contract/ports/interact.js";
import type { CallSession } from "../contract/session.js";
import type { ToolPreview } from "../contract/tool.js";
import { narrowestRule, ruleText } from "../policy/narrowest-rule.js";
import type { PolicyRule } from "../policy/policy-rule.js";
import { levelOf } from "../policy/traits.js";
import { toPlainResult } from "../schema/plain-result.js";
import { takePlain } from "../schema/take-plain.js";
import { askConsent, type Accepted, type YesAnswer } from "./ask-consent.js";
import { authoriseUnasked, policyCall, refusal } from "./authorise.js";
import { boundPreview } from "./bound-preview.js";
import type { ValidatedCall } from "./call.js";
import type { ConsentChannels } from "./consent-channels.js";
import type { ConsentDesk } from "./consent-desk.js";
import { contextOf } from "./context.js";
import { analysisOf, commandLines } from "./shell-commands.js";
import { waitAhead } from "./time-limit.js";
import { validateInput } from "./validate.js";

/** Asks a person for consent to a call; returns when it may go on, throws when it may not. */
export interface Approvals {
  request(call: ValidatedCall, decision: AccessDecision): Promise<void>;
}

export interface ApprovalOptions {
  /** Who can be asked for a session. */
  readonly channelsFor: (session: CallSession) => ConsentChannels;
  readonly desk: ConsentDesk;
  /** How long a request waits for an answer. */
  readonly timeoutMs: number;
  /** How long it waits while no page of a console is open and nobody else can answer. */
  readonly pageTimeoutMs: number;
  /** Keep an "always" beyond this process; gives the rule's id. */
  readonly remember: (rule: PolicyRule) => Promise<string>;
  /** Keep an answer for as long as the session lasts; gives the rule's id. */
  readonly rememberForSession: (sessionId: string, rule: PolicyRule) => Promise<string>;
}

/** The one way to consent: preview, question, answer, and what the answer changes. */
export function createApprovals(options: ApprovalOptions): Approvals {
  return {
    async request(call, decision) {
      // The preview comes first: a change that cannot work is refused here and nobody is asked.
      const preview = await previewOf(call);
      const { open, asked } = options.channelsFor(call.session);
      if (asked.length === 0 && !(await hasConsole(open, options.desk))) throw nobodyThere(call, decision);
      const request = toRequest(call, decision, { preview, timeoutMs: options.timeoutMs, channels: open });
      const answer = await askConsent(call, request, {
        ...options,
        asked,
        wayOut: wayOut(allowingRule(call, decision)),
        check: (changed) => faultOf(call, changed),
        accept: (given) => accept(call, given, { ...options, request, canRemember: canRemember(decision) }),
      });
      if (answer.verdict === "no") throw refused(call, answer.reason);
    },
  };
}

async function hasConsole(open: readonly ApprovalChannel[], desk: ConsentDesk): Promise<boolean> {
  if (!open.includes("console") && !open.includes("api")) return false;
  return (await desk.reach()) !== undefined;
}

/** A tool that asks by itself asks every time: no rule of the policy can answer for it. */
function canRemember(decision: AccessDecision): boolean {
  return decision.source !== "tool";
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

/** What is wrong with arguments that a person changed; nothing of the call changes by looking. */
function faultOf(call: ValidatedCall, changed: unknown): string | undefined {
  const plain = takePlain(changed, call.parts.plainLimits);
  const checked = plain.ok ? call.entry.input.check(plain.value) : plain;
  return checked.ok ? undefined : checked.issues.map(({ message }) => message).join("; ");
}

interface AcceptOptions extends ApprovalOptions {
  readonly request: ApprovalRequest;
  readonly canRemember: boolean;
}

/** Take the changed arguments and keep the rule that the answer asks for. */
async function accept(call: ValidatedCall, answer: YesAnswer, options: AcceptOptions): Promise<Accepted> {
  let changed: Accepted["changed"];
  let verdict: Accepted["verdict"] = "once";
  let rule: Accepted["rule"];
  let refusedBy: unknown;
  try {
    if (answer.updatedArguments !== undefined) {
      await takeChanged(call, answer.updatedArguments);
      changed = { from: options.request.arguments, to: shownInput(call) };
    }
    if (options.canRemember) rule = await remember(call, answer.verdict, options);
    if (rule !== undefined) ({ verdict } = answer);
  } catch (thrown) {
    refusedBy = thrown;
    changed ??= { from: options.request.arguments, to: shownInput(call) };
  }
  return { verdict, changed, rule, refusedBy };
}

function shownInput(call: ValidatedCall): unknown {
  return call.parts.redact(toPlainResult(call.input).value);
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

/** The rule that the answer left behind, where it asks for one and one can be had. */
async function remember(
  call: ValidatedCall,
  verdict: "once" | "session" | "always",
  options: ApprovalOptions,
): Promise<ApprovalRule | undefined> {
  if (verdict === "once") return undefined;
  const rule = narrowestRule(policyCall(call));
  if (rule.decision !== "allow") return undefined;
  const source = verdict === "session" ? "session" : "remembered";
  try {
    const id =
      verdict === "session"
        ? await options.rememberForSession(call.session.id, rule)
        : await options.remember(rule);
    return { id, text: ruleText(rule), source };
  } catch (cause) {
    // The rule is for later calls: where it cannot be kept, the person's word still counts for this one.
    call.parts.events.emit("LISTENER_FAILED", { event: "approvals", message: messageOf(cause) });
    return undefined;
  }
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
