import { ToolExecutionError, ToolPermissionError } from "../contract/errors.js";
import type { TenonEvent } from "../contract/events.js";
import { messageOf } from "../contract/message-of.js";
import type {
  ApprovalAnswer,
  ApprovalRequest,
  ApprovalResolution,
  ApprovalRule,
} from "../contract/ports/interact.js";
import type { AskedChannel } from "./consent-channels.js";
import type { ConsentDesk, GivenAnswer } from "./consent-desk.js";
import type { ValidatedCall } from "./validate.js";
import { watchPages } from "./watch-pages.js";

export interface ConsentOptions {
  /** Channels of this process that are asked, besides its console. */
  readonly asked: readonly AskedChannel[];
  readonly desk: ConsentDesk;
  readonly timeoutMs: number;
  /** How long a call waits while no page of a console is open. */
  readonly pageTimeoutMs: number;
  /** What to do if nobody can be asked. */
  readonly hint: string;
  /** The problem with changed arguments. */
  readonly check: (updatedArguments: unknown) => string | undefined;
  /** Apply what a yes changes, before it is announced; never rejects. */
  readonly accept: (answer: YesAnswer) => Promise<Accepted>;
}

export type YesAnswer = Extract<GivenAnswer, { readonly verdict: "once" | "session" | "always" }>;

/** The effect of a yes. */
export interface Accepted {
  /** For how long it counts: "once" if no rule could be stored. */
  readonly verdict: YesAnswer["verdict"];
  readonly rule: ApprovalRule | undefined;
  readonly changed: ApprovalResolution["changed"];
  /** Why the call may still not run: the policy denies the changed arguments. */
  readonly refusedBy: unknown;
}

/** Ask the person and wait for the answer, within its own time limit; the call's own is paused meanwhile. */
export async function askConsent(
  call: ValidatedCall,
  request: ApprovalRequest,
  options: ConsentOptions,
): Promise<ApprovalAnswer> {
  const { state } = call;
  const { deadlines } = state.parts;
  const over = new AbortController();
  const deadline = deadlines.add(options.timeoutMs, () => over.abort(expired(call, options.timeoutMs)));
  const stop = state.onAbort((reason) => over.abort(reason));
  const resume = state.pauseClock();
  let ending: Ending = { verdict: "cancelled" };
  try {
    const answer = await waitForAnswer(call, request, { ...options, signal: over.signal });
    ending = { verdict: answer.verdict, ...answer.by, approvedBy: answer.approvedBy };
    if (answer.verdict === "no") {
      ending = { ...ending, reason: answer.reason };
      return answer;
    }
    const { refusedBy, ...accepted } = await options.accept(answer);
    ending = { ...ending, ...accepted };
    if (refusedBy !== undefined) throw refusedBy;
    return answer;
  } catch (thrown) {
    if (ending.channel !== undefined) throw thrown;
    ending = { verdict: "cancelled", reason: messageOf(over.signal.aborted ? over.signal.reason : thrown) };
    if (!over.signal.aborted) throw toRefusal(call, thrown, options.hint);
    if (state.aborted === undefined) ending = { verdict: "expired" };
    throw over.signal.reason;
  } finally {
    deadlines.remove(deadline);
    stop();
    resume();
    over.abort(new ToolExecutionError("The request for consent has ended.", { code: "INTERACTION_FAILED" }));
    await conclude(call, request, { desk: options.desk, ending });
  }
}

type Ending = Pick<
  ApprovalResolution,
  "verdict" | "reason" | "channel" | "person" | "approvedBy" | "client" | "rule" | "changed"
>;

/** Announce how the request ended, and note it for the record of the call. */
async function conclude(
  call: ValidatedCall,
  { id, callId, sessionId, toolName, requestedAt }: ApprovalRequest,
  { desk, ending }: { readonly desk: ConsentDesk; readonly ending: Ending },
): Promise<void> {
  const resolvedAt = call.state.parts.clock.now();
  const known = Object.fromEntries(Object.entries(ending).filter(([, value]) => value !== undefined));
  const resolution = {
    id,
    callId,
    sessionId,
    toolName,
    ...(known as unknown as Ending),
    requestedAt,
    resolvedAt,
    waitedMs: Math.max(0, resolvedAt - requestedAt),
  };
  await desk.close(resolution);
  call.state.note({ approval: resolution });
  notify(call, { type: "APPROVAL_RESOLVED", payload: resolution });
}

interface Waiting extends ConsentOptions {
  readonly signal: AbortSignal;
}

/** Resolve with the first answer from any channel; reject if no channel is left that could answer. */
async function waitForAnswer(
  call: ValidatedCall,
  request: ApprovalRequest,
  options: Waiting,
): Promise<GivenAnswer> {
  const { desk, asked, signal, check } = options;
  signal.throwIfAborted();
  return new Promise<GivenAnswer>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    const begin = async (): Promise<void> => {
      const onApproval = (changed: ApprovalRequest): void =>
        notify(call, { type: "APPROVAL_REQUESTED", payload: changed });
      await desk.open({ request, check, deliver: resolve, onApproval });
      signal.throwIfAborted();
      notify(call, { type: "APPROVAL_REQUESTED", payload: request });
      const failures = await Promise.all(asked.map((one) => askOn(one, request, options)));
      // No channel of this process can answer any more: only a console is left, if one is allowed and running.
      const failure = failures.find((one) => one !== undefined);
      await watchPages(call, request, { ...options, failure });
    };
    begin().catch(reject);
  });
}

const maxRounds = 5;

/** Ask on one channel until it answered; resolves with the reason if it cannot answer. */
async function askOn(
  { channel, backend, by }: AskedChannel,
  request: ApprovalRequest,
  { desk, signal }: Waiting,
): Promise<unknown> {
  let asked = request;
  for (let round = 0; round < maxRounds && !signal.aborted; round++) {
    let answer: GivenAnswer;
    try {
      const given = toAnswer(await backend.approve(asked, signal));
      const person = given.by?.person;
      answer = { ...given, by: { ...by, channel, ...(person !== undefined && { person }) } };
      if (channel === "host") answer = hostAnswer(answer);
    } catch (thrown) {
      return thrown ?? new Error("it returned no answer");
    }
    const outcome = await desk.answer(request.id, answer);
    if (outcome.status !== "invalid") return waitForEnd(signal);
    asked = { ...request, fault: outcome.fault };
  }
  return new ToolPermissionError("the changed arguments could not be used.");
}

/** This channel has answered: wait for the end of the request. */
function waitForEnd(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
}

/** A host may allow one call or its own session, never permanently, and it cannot change arguments. */
function hostAnswer(answer: GivenAnswer): GivenAnswer {
  if (answer.verdict === "no") return answer;
  if (answer.verdict === "always") throw new Error("an MCP host cannot allow calls permanently");
  return { verdict: answer.verdict, by: answer.by };
}

/** Anything but a known yes is a no. */
function toAnswer(given: unknown): ApprovalAnswer {
  const { verdict, reason, updatedArguments, by } = Object(given) as Record<string, unknown>;
  const from = { by: by as ApprovalAnswer["by"] };
  if (verdict === "once" || verdict === "session" || verdict === "always") {
    return { verdict, updatedArguments, ...from };
  }
  return typeof reason === "string" ? { verdict: "no", reason, ...from } : { verdict: "no", ...from };
}

type ApprovalEvent = Extract<TenonEvent, { type: "APPROVAL_REQUESTED" | "APPROVAL_RESOLVED" }>;

function notify(call: ValidatedCall, event: Omit<ApprovalEvent, "time">): void {
  const { parts, origin } = call.state;
  parts.events.emit(event.type, event.payload);
  origin.onEvent?.({ ...event, time: parts.clock.now() } as TenonEvent);
}

function expired(call: ValidatedCall, timeoutMs: number): ToolPermissionError {
  return new ToolPermissionError(`nobody answered within ${Math.round(timeoutMs / 1000)} s.`, {
    code: "APPROVAL_EXPIRED",
    toolName: call.entry.name,
    hint: "Call again when somebody can answer.",
  });
}

/** Nobody could be asked, so there is no consent. */
function toRefusal(call: ValidatedCall, thrown: unknown, hint: string): ToolPermissionError {
  if (thrown instanceof ToolPermissionError && thrown.code !== "ACCESS_DENIED") return thrown;
  return new ToolPermissionError(`consent is needed, and nobody could be asked: ${messageOf(thrown)}`, {
    code: "APPROVAL_UNAVAILABLE",
    toolName: call.entry.name,
    cause: thrown,
    hint,
  });
}
