import type { CallMetadata, CallSummary, ContentPart, ToolEnvelope } from "../contract/call.js";
import type { ErrorInfo, ToolError } from "../contract/errors.js";
import { toErrorInfo } from "./failure.js";
import type { AnsweredAs } from "./validate.js";
import type { Outcome } from "./outcome.js";
import type { ReceivedCall } from "./receive.js";
import { renderError, renderResult } from "./render.js";

/** Turn the outcome into the envelope, with the text for the model within its budget. */
export function respond(outcome: Outcome): ToolEnvelope {
  const { call, standIn } = outcome;
  const { state } = call;
  const result = state.answeredAs === undefined ? outcome.result : answerAs(state.answeredAs, outcome);
  const { clock, redact } = state.parts;
  const error = outcome.error === undefined ? undefined : redact(toShownError(outcome, outcome.error));
  // A call that succeeded read the clock when its tool was done.
  const endedAt = error === undefined && standIn === undefined ? state.executionEnded : undefined;
  return new Envelope({
    callId: call.callId,
    toolName: state.resolved?.entry.name ?? call.toolName,
    result,
    error,
    startedAt: state.startedAt,
    durationMs: Math.max(0, (endedAt ?? clock.monotonic()) - state.startedMonotonic),
    metadata: metadataOf(call),
    text: state.recalled === undefined ? undefined : knownText(call, result),
    render: () => {
      if (error !== undefined) return renderError(call, error, outcome.error?.content);
      return standIn?.content ?? renderResult(call, result);
    },
  }) as ToolEnvelope;
}

/** The JSON of a result that was given before, unless an extension may still change it. */
function knownText({ state: { recalled, parts } }: ReceivedCall, result: unknown): string | undefined {
  if (parts.hooks.complete !== undefined || recalled?.result !== result) return undefined;
  return recalled?.answer.text;
}

/** The answer of a tool that meant another one, in its own form. */
function answerAs({ answer }: AnsweredAs, { result, error, standIn }: Outcome): unknown {
  return error === undefined && standIn === undefined ? answer(result) : result;
}

/** The error's own hint, then the advice about its repetition. */
function toShownError({ call, advice }: Outcome, error: ToolError): ErrorInfo {
  const own = toErrorInfo(error);
  const worded = own.hint === undefined ? undefined : call.state.answeredAs?.hint?.(error);
  const info = worded === undefined ? own : { ...own, hint: worded };
  if (advice === undefined) return info;
  const hint = info.hint === undefined ? advice.hint : `${info.hint} ${advice.hint}`;
  return { ...info, hint, details: { ...info.details, ...advice.details } };
}

function metadataOf({ state, taskId, requestId, shownUnder }: ReceivedCall): CallMetadata {
  const { session, resolved, decision, ticket, attempts, notes } = state;
  const { clientInfo } = session;
  const metadata: CallMetadata = { sessionId: session.id, agent: session.agent };
  if (clientInfo !== undefined) metadata.client = clientInfo;
  if (resolved !== undefined) metadata.version = resolved.entry.version;
  if (taskId !== undefined) metadata.taskId = taskId;
  if (shownUnder !== undefined) metadata.parentCallId = shownUnder.callId;
  if (requestId !== undefined) metadata.requestId = requestId;
  if (decision !== undefined) metadata.decision = decision;
  if (ticket !== undefined) metadata.waitedMs = ticket.waitedMs;
  const { waitedForPersonMs } = state;
  if (waitedForPersonMs > 0) metadata.waitedForPersonMs = waitedForPersonMs;
  if (attempts > 1) metadata.attempts = attempts;
  if (state.untrusted) metadata.untrusted = true;
  return notes === undefined ? metadata : Object.assign(metadata, notes);
}

interface EnvelopeFields {
  readonly callId: string;
  readonly toolName: string;
  readonly result: unknown;
  readonly error: ErrorInfo | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly metadata: CallMetadata;
  /** The result as JSON, where it is known. */
  readonly text: string | undefined;
  readonly render: () => readonly ContentPart[];
}

/**
 * An answer. `content` is rendered when it is first read, since a program that uses `result` never needs the text;
 * `JSON.stringify` includes it.
 */
class Envelope implements CallSummary {
  declare readonly callId: string;
  declare readonly toolName: string;
  declare readonly success: boolean;
  declare readonly result?: unknown;
  declare readonly error?: ErrorInfo;
  declare readonly startedAt: number;
  declare readonly completedAt: number;
  declare readonly durationMs: number;
  declare readonly metadata: CallMetadata;
  #render: (() => readonly ContentPart[]) | undefined;
  #content: readonly ContentPart[] | undefined;
  #resultText: string | undefined;

  constructor(fields: EnvelopeFields) {
    this.callId = fields.callId;
    this.toolName = fields.toolName;
    this.success = fields.error === undefined;
    if (fields.error === undefined) this.result = fields.result;
    if (fields.error !== undefined) this.error = fields.error;
    this.startedAt = fields.startedAt;
    this.completedAt = fields.startedAt + Math.round(fields.durationMs);
    this.durationMs = fields.durationMs;
    this.metadata = fields.metadata;
    this.#render = fields.render;
    this.#resultText = fields.text;
  }

  get content(): readonly ContentPart[] {
    if (this.#content === undefined) {
      this.#content = this.#render?.() ?? [];
      this.#render = undefined;
    }
    return this.#content;
  }

  setResultText(text: string | undefined): void {
    this.#resultText = text;
  }

  getResultText(): string | undefined {
    return this.#resultText;
  }

  toJSON(): ToolEnvelope {
    const { callId, toolName, startedAt, completedAt, durationMs, metadata, content } = this;
    const outcome =
      this.error === undefined
        ? { success: true as const, result: this.result }
        : { success: false as const, error: this.error };
    return { callId, toolName, ...outcome, startedAt, completedAt, durationMs, metadata, content };
  }
}
