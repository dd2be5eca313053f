import type { AccessDecision } from "../contract/call.js";
import { ToolPermissionError } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { ApprovalChannel, ApprovalRequest, ApprovalRule } from "../contract/ports/interact.js";
import type { CallSession, ShownChanges } from "../contract/session.js";
import type { ToolPreview } from "../contract/tool.js";
import { narrowestRule } from "../policy/narrowest-rule.js";
import { ruleText } from "../policy/rule-text.js";
import type { PolicyRule } from "../policy/policy-rule.js";
import { levelOf } from "../policy/traits.js";
import { toPlainResult } from "../schema/plain-result.js";
import { takePlain } from "../schema/take-plain.js";
import { previewChanges } from "./ask-after.js";
import { askConsent, type Accepted, type YesAnswer } from "./ask-consent.js";
import { authoriseUnasked, refusal } from "./authorise.js";
import { boundPreview } from "./bound-preview.js";
import type { ConsentChannels } from "./consent-channels.js";
import type { ConsentDesk } from "./consent-desk.js";
import { contextOf } from "./context.js";
import { commandLines } from "./shell-commands.js";
import { waitAhead } from "./call-state.js";
import { policyCall, validateInput, type ValidatedCall } from "./validate.js";

/** Asks people for consent to calls. */
export interface Approvals {
  /**
   * Resolves with the call, whose input the person may have changed, or throws.
   * @param changes What its command changed on a layer, if it has run: its input stays as it is.
   */
  request(call: ValidatedCall, decision: AccessDecision, changes?: ShownChanges): Promise<ValidatedCall>;
  /** Whether a person can be asked. */
  isReachable(session: CallSession): Promise<boolean>;
}

export interface ApprovalOptions {
  /** Who can be asked for a session. */
  readonly channelsFor: (session: CallSession) => ConsentChannels;
  readonly desk: ConsentDesk;
  /** How long a request waits for an answer. */
  readonly timeoutMs: number;
  /** How long it waits while no page of a console is open and no other channel can answer. */
  readonly pageTimeoutMs: number;
  /** Store the rule of an "always" permanently; resolves with the rule's id. */
  readonly remember: (rule: PolicyRule) => Promise<string>;
  /** Store an answer for as long as the session lasts; resolves with the rule's id. */
  readonly rememberForSession: (sessionId: string, rule: PolicyRule) => Promise<string>;
}

/** Create the only way to consent: preview, question, answer, and the changes that the answer makes. */
export function createApprovals(options: ApprovalOptions): Approvals {
  const isReachable = async (session: CallSession): Promise<boolean> => {
    const { open, asked } = options.channelsFor(session);
    return asked.length > 0 || hasConsole(open, options.desk);
  };
  return {
    isReachable,
    async request(call, decision, changes) {
      // The preview comes first: a change that cannot work fails here, before anyone is asked.
      const preview = await previewOf(call, changes);
      const { session } = call.state;
      const { open, asked } = options.channelsFor(session);
      if (!(await isReachable(session))) throw approvalUnavailable(call, decision);
      const afterRun = changes !== undefined;
      const request = toRequest(call, decision, {
        preview,
        timeoutMs: options.timeoutMs,
        channels: open,
        afterRun,
      });
      let consented = call;
      const answer = await askConsent(call, request, {
        ...options,
        asked,
        hint: hintFor(allowingRule(call, decision)),
        check: (changed) => (afterRun ? alreadyRan : faultOf(call, changed)),
        accept: async (given) => {
          const { call: accepted, ...resolution } = await accept(call, given, {
            ...options,
            request,
            canRemember: canRemember(decision),
          });
          consented = accepted;
          return resolution;
        },
      });
      if (answer.verdict === "no") throw refused(call, answer.reason, changes);
      return consented;
    },
  };
}

const alreadyRan =
  "The command has already run, so its arguments cannot be changed any more. Decline it and say what you want instead.";

async function hasConsole(open: readonly ApprovalChannel[], desk: ConsentDesk): Promise<boolean> {
  if (!open.includes("console") && !open.includes("api")) return false;
  return (await desk.reach()) !== undefined;
}

/** If the tool itself asks, it asks every time: a policy rule cannot answer for a person. */
function canRemember({ source, approvals = 1 }: AccessDecision): boolean {
  // A single rule cannot replace the consent of several people.
  return source !== "tool" && approvals === 1;
}

/** What the call would do, or what it changed on a layer, as plain data. */
async function previewOf(
  call: ValidatedCall,
  changes: ShownChanges | undefined,
): Promise<ToolPreview | undefined> {
  const own = changes === undefined ? await ownPreview(call) : previewChanges(changes);
  const analysis = call.shell?.analysis;
  if (own === undefined && analysis === undefined) return undefined;
  const preview =
    analysis === undefined
      ? own
      : { summary: "Run in a shell", ...own, commands: own?.commands ?? commandLines(analysis) };
  // Bounded last: cutting first could leave half of a secret visible.
  return boundPreview(call.state.parts.redact(toPlainResult(preview).value));
}

async function ownPreview(call: ValidatedCall): Promise<ToolPreview | undefined> {
  const { tool } = call.entry;
  if (tool.preview === undefined) return undefined;
  const preview = tool.preview(call.input, contextOf(call.resolved));
  // If the call is already running, its time limit is running too.
  return call.state.askAfter === undefined ? waitAhead(call, preview) : preview;
}

interface RequestExtras {
  readonly afterRun: boolean;
  readonly preview: ToolPreview | undefined;
  readonly timeoutMs: number;
  readonly channels: readonly ApprovalChannel[];
}

function toRequest(call: ValidatedCall, decision: AccessDecision, extras: RequestExtras): ApprovalRequest {
  const { state, received } = call;
  const { parts, session } = state;
  const allowing = allowingRule(call, decision);
  const now = parts.clock.now();
  return {
    id: parts.newId(),
    callId: received.callId,
    ...(received.root !== received && { rootCallId: received.root.callId }),
    sessionId: session.id,
    ...(received.taskId !== undefined && { taskId: received.taskId }),
    agent: session.agent,
    ...(session.userId !== undefined && { userId: session.userId }),
    ...(session.clientInfo !== undefined && { client: session.clientInfo }),
    toolName: call.entry.name,
    risk: levelOf(policyCall(call)),
    arguments: shownInput(call),
    reason: decision.reason,
    decision,
    ...(extras.preview !== undefined && { preview: extras.preview }),
    ...(extras.afterRun && { afterRun: true }),
    ...(allowing !== undefined && canRemember(decision) && { alwaysRule: allowing }),
    ...(decision.approvals !== undefined && { required: decision.approvals }),
    channels: extras.channels,
    requestedAt: now,
    expiresAt: now + extras.timeoutMs,
  };
}

/** Return the fault of arguments that a person changed. */
function faultOf(call: ValidatedCall, changed: unknown): string | undefined {
  const plain = takePlain(changed, call.state.parts.plainLimits);
  const checked = plain.ok ? call.entry.input.check(plain.value) : plain;
  return checked.ok ? undefined : checked.issues.map(({ message }) => message).join("; ");
}

interface AcceptOptions extends ApprovalOptions {
  readonly request: ApprovalRequest;
  readonly canRemember: boolean;
}

/** Apply the changed arguments, and store the rule that the answer asks for. */
async function accept(
  given: ValidatedCall,
  answer: YesAnswer,
  options: AcceptOptions,
): Promise<Accepted & { readonly call: ValidatedCall }> {
  const { state } = given;
  const changes = (call: ValidatedCall): Accepted["changed"] => ({
    from: options.request.arguments,
    to: shownInput(call),
  });
  let call = given;
  let changed: Accepted["changed"];
  let verdict: Accepted["verdict"] = "once";
  let rule: Accepted["rule"];
  let refusedBy: unknown;
  try {
    if (answer.updatedArguments !== undefined) {
      call = await withChangedArguments(call, answer.updatedArguments);
      changed = changes(call);
    }
    if (options.canRemember) rule = await remember(call, answer.verdict, options);
    if (rule !== undefined) ({ verdict } = answer);
  } catch (thrown) {
    refusedBy = thrown;
    changed ??= changes(state.validated ?? call);
  }
  return { verdict, changed, rule, refusedBy, call };
}

function shownInput(call: ValidatedCall): unknown {
  return call.state.parts.redact(toPlainResult(call.input).value);
}

/** Changed arguments are checked like any input, and a `deny` of the policy or the tool applies to them too. */
async function withChangedArguments(call: ValidatedCall, changed: unknown): Promise<ValidatedCall> {
  const plain = takePlain(changed, call.state.parts.plainLimits);
  if (!plain.ok)
    throw new ToolPermissionError(`the changed arguments cannot be used: ${plain.issues[0]?.message}`);
  const judged = await authoriseUnasked(validateInput(call.resolved, plain.value));
  if (judged.decision.behavior === "deny") throw refusal(judged.call, judged.decision);
  call.state.note({ argumentsChanged: true });
  return judged.call;
}

/** The rule that the answer asks for, if one can be stored. */
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
        ? await options.rememberForSession(call.state.session.id, rule)
        : await options.remember(rule);
    return { id, text: ruleText(rule), source };
  } catch (cause) {
    // The rule is for later calls: if it cannot be stored, the consent still counts for this one.
    call.state.parts.events.emit("LISTENER_FAILED", { event: "approvals", message: messageOf(cause) });
    return undefined;
  }
}

const maxListed = 100;

function refused(
  call: ValidatedCall,
  reason: string | undefined,
  changes: ShownChanges | undefined,
): ToolPermissionError {
  const said =
    reason === undefined || reason === "" ? "the person declined." : `the person declined: ${reason}`;
  return new ToolPermissionError(said, {
    code: "APPROVAL_DENIED",
    toolName: call.entry.name,
    hint: `${changes === undefined ? "" : "The command ran on a layer, and its changes were discarded. "}Do not repeat the call unchanged; ask the person what they want instead.`,
    ...(changes !== undefined && {
      details: { discarded: changes.changes.slice(0, maxListed).map(({ path, kind }) => ({ path, kind })) },
    }),
  });
}

function approvalUnavailable(call: ValidatedCall, decision: AccessDecision): ToolPermissionError {
  const { rule, source } = decision;
  const allowing = allowingRule(call, decision);
  return new ToolPermissionError(
    `${decision.reason.replace(/[.\s]+$/, "")}, and nobody is available to ask.`,
    {
      code: "APPROVAL_UNAVAILABLE",
      toolName: call.entry.name,
      hint: hintFor(allowing),
      details: { rule, source, ...(allowing !== undefined && { wouldAllow: allowing }) },
    },
  );
}

/** The rule that would allow such calls; `undefined` if none can, such as for a line that an interpreter would run. */
function allowingRule(call: ValidatedCall, decision: AccessDecision): string | undefined {
  if (!canRemember(decision)) return undefined;
  const rule = narrowestRule(policyCall(call));
  return rule.decision === "allow" ? ruleText(rule) : undefined;
}

function hintFor(allowing: string | undefined): string {
  if (allowing !== undefined) return `The rule that would allow it: ${allowing}.`;
  return "The tool requires a person's consent each time; run it where a person can answer.";
}
