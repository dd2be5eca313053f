import { ToolPermissionError } from "../contract/errors.js";
import type { TenonEvent } from "../contract/events.js";
import type {
  ApprovalAnswer,
  ApprovalAnswerer,
  ApprovalRequest,
  InteractBackend,
} from "../contract/ports/interact.js";
import { messageOf } from "../contract/message-of.js";
import type { ValidatedCall } from "./call.js";

/** Keeps waiting requests, so that a restart can close them as denied. */
export interface ApprovalLog {
  open(request: ApprovalRequest): Promise<void>;
  resolve(id: string, answer: ApprovalAnswer): Promise<void>;
}

export interface ConsentOptions {
  readonly backend: InteractBackend;
  readonly timeoutMs: number;
  readonly log?: ApprovalLog;
  /** The way out where nobody can be asked. */
  readonly wayOut: string;
}

type Verdict = ApprovalAnswer["verdict"] | "expired" | "cancelled";

/** Put the request to the person and wait for the answer, within its own limit; no other clock of the call runs meanwhile. */
export async function askConsent(
  call: ValidatedCall,
  request: ApprovalRequest,
  options: ConsentOptions,
): Promise<ApprovalAnswer> {
  const { deadlines } = call.parts;
  const expiry = new AbortController();
  const deadline = deadlines.add(options.timeoutMs, () => expiry.abort(expired(call, options.timeoutMs)));
  const stop = call.onAbort((reason) => expiry.abort(reason));
  const resume = call.pauseClock();
  let verdict: Verdict = "cancelled";
  let reason: string | undefined;
  let by: ApprovalAnswerer | undefined;
  try {
    await keep(call, options.log?.open(request));
    tell(call, { type: "APPROVAL_REQUESTED", payload: request });
    const answer = await put(request, options.backend, expiry.signal);
    ({ verdict } = answer);
    by = answer.by ?? { channel: options.backend.channel ?? "callback" };
    if (answer.verdict === "no") ({ reason } = answer);
    return answer;
  } catch (thrown) {
    if (!expiry.signal.aborted) throw notAsked(call, thrown, options.wayOut);
    if (call.aborted === undefined) verdict = "expired";
    throw expiry.signal.reason;
  } finally {
    deadlines.remove(deadline);
    stop();
    resume();
    await keep(call, options.log?.resolve(request.id, toAnswer(verdict, reason)));
    const { id, callId, sessionId, toolName, requestedAt } = request;
    const resolvedAt = call.parts.clock.now();
    const waitedMs = Math.max(0, resolvedAt - requestedAt);
    const told = { id, callId, sessionId, toolName, verdict, requestedAt, resolvedAt, waitedMs };
    const payload = { ...told, ...by, ...(reason !== undefined && { reason }) };
    tell(call, { type: "APPROVAL_RESOLVED", payload });
  }
}

/** The books are for a later look: where they cannot be kept, the person's word still counts. */
export async function keep(call: ValidatedCall, writing: Promise<unknown> | undefined): Promise<void> {
  try {
    await writing;
  } catch (cause) {
    call.parts.events.emit("LISTENER_FAILED", { event: "approvals", message: messageOf(cause) });
  }
}

/** A back end that ignores the signal must not keep the call waiting, and only a clear yes is one. */
async function put(
  request: ApprovalRequest,
  backend: InteractBackend,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    const answer: unknown = await Promise.race([backend.approve(request, signal), stopped]);
    const { verdict, reason, updatedArguments } = Object(answer) as Record<string, unknown>;
    if (verdict === "once" || verdict === "session" || verdict === "always") {
      return { verdict, updatedArguments };
    }
    return typeof reason === "string" ? { verdict: "no", reason } : { verdict: "no" };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

type ApprovalEvent = Extract<TenonEvent, { type: "APPROVAL_REQUESTED" | "APPROVAL_RESOLVED" }>;

function tell(call: ValidatedCall, event: Omit<ApprovalEvent, "time">): void {
  const { events, clock } = call.parts;
  events.emit(event.type, event.payload);
  call.origin.onEvent?.({ ...event, time: clock.now() } as TenonEvent);
}

function toAnswer(verdict: Verdict, reason: string | undefined): ApprovalAnswer {
  if (verdict === "once" || verdict === "session" || verdict === "always") return { verdict };
  if (verdict === "no") return { verdict, reason: reason ?? "" };
  return { verdict: "no", reason: `The request ${verdict === "expired" ? "expired" : "was cancelled"}.` };
}

function expired(call: ValidatedCall, timeoutMs: number): ToolPermissionError {
  return new ToolPermissionError(`nobody answered within ${Math.round(timeoutMs / 1000)} s.`, {
    code: "APPROVAL_EXPIRED",
    toolName: call.entry.name,
    hint: "Call again when somebody is there.",
  });
}

/** The back end failed to ask: that is no consent. */
function notAsked(call: ValidatedCall, thrown: unknown, hint: string): ToolPermissionError {
  return new ToolPermissionError(`consent is needed, and nobody could be asked: ${messageOf(thrown)}`, {
    code: "APPROVAL_UNAVAILABLE",
    toolName: call.entry.name,
    cause: thrown,
    hint,
  });
}
