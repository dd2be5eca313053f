import { type ToolError, ToolExecutionError } from "../contract/errors.js";
import { toPlainResult } from "../schema/plain-result.js";
import { retryDelay } from "../scheduler/retry.js";
import { announce, recordStart } from "./record.js";
import type { AuthorisedCall } from "./authorise.js";
import { contextOf } from "./context.js";
import { isCritical, toErrorInfo, toToolError } from "./failure.js";
import { isGenerator, isThenable } from "../contract/is-thenable.js";
import { drain } from "./stream-output.js";
import { startClock } from "./call-state.js";
import { isRecord } from "../contract/is-record.js";
import { isToolResult, type ToolResult } from "../contract/tool-result.js";
import type { ToolEntry } from "../registry/tool-entry.js";

/** Run the tool with its time limit, cancellation, retries and streaming, and check what it returned. */
export function execute(call: AuthorisedCall): unknown {
  const recording = recordStart(call);
  if (recording === undefined) return initialize(call);
  const { state } = call;
  state.delayed = true;
  return recording.then(() => {
    if (state.aborted !== undefined) throw state.aborted;
    return initialize(call);
  });
}

function initialize(call: AuthorisedCall): unknown {
  const starting = call.entry.begin();
  return starting === undefined ? begin(call) : beginAfter(call, starting);
}

/** The tool's own start has its own limit; the tool's time limit is for its work, the caller's for everything. */
async function beginAfter(call: AuthorisedCall, starting: Promise<void>): Promise<unknown> {
  const { entry, state, validated } = call;
  if (validated.received.timeoutMs !== undefined) startClock(validated);
  state.delayed = true;
  try {
    await state.race(starting);
  } catch (thrown) {
    // If the call is over while its start continues, the tool must not count the call as running forever.
    starting.then(() => entry.end("failed")).catch(() => undefined);
    throw thrown;
  }
  return begin(call);
}

function begin(call: AuthorisedCall): unknown {
  const { state } = call;
  state.started = true;
  announceStart(call);
  let running: unknown;
  try {
    running = attempt(call);
    if (!isThenable(running)) return succeed(call, running);
  } catch (thrown) {
    running = retryOrFail(call, thrown);
  }
  startClock(call.validated);
  // `then` of a thenable that is not a promise is called only once: some start their work again each time.
  return settle(call, running instanceof Promise ? running : Promise.resolve(running));
}

/** Count the call as running, and tell listeners. */
export function announceStart({ state, settings, validated, decision }: AuthorisedCall): void {
  const waitedMs = state.ticket?.waitedMs ?? 0;
  // A call that did not wait has read the clock a moment ago.
  const isFresh = waitedMs === 0 && !state.delayed;
  state.executionStarted = isFresh ? state.startedMonotonic : state.parts.clock.monotonic();
  state.waitedBeforeStartMs = state.waitedForPersonMs;
  settings.meter.began(waitedMs, state.executionStarted);
  announce(validated.received, "TOOL_CALL_STARTED", () => ({ waitedMs, decision }));
}

function attempt(call: AuthorisedCall): unknown {
  const { state, entry, validated } = call;
  state.attempts++;
  const value: unknown = entry.tool.execute(validated.input, contextOf(validated.resolved));
  return isGenerator(value) ? drain(validated.received, value) : value;
}

/** Wait for an attempt or for the abort of the call; a promise that may outlive the call is remembered. */
function settle(call: AuthorisedCall, running: Promise<unknown>): Promise<unknown> {
  const { state } = call;
  state.lingering = running;
  return state.race(running).then(
    (value) => {
      state.lingering = undefined;
      return checkedOrRetried(call, value);
    },
    (thrown: unknown) => {
      if (state.aborted === undefined) state.lingering = undefined;
      return settle(call, retryOrFail(call, state.aborted ?? thrown));
    },
  );
}

function checkedOrRetried(call: AuthorisedCall, value: unknown): unknown {
  try {
    if (!isGenerator(value)) return succeed(call, value);
    return settle(call, drain(call.validated.received, value));
  } catch (thrown) {
    return settle(call, retryOrFail(call, thrown));
  }
}

function succeed(call: AuthorisedCall, value: unknown): unknown {
  const result = checkResult(call, value);
  finish(call, undefined);
  return result;
}

/** Try again if that makes sense; otherwise the call has failed. */
function retryOrFail(call: AuthorisedCall, thrown: unknown): Promise<unknown> {
  const error = toToolError(thrown, call.entry.name);
  if (mayRetry(call, error)) return retry(call, error);
  finish(call, error);
  throw error;
}

function finish(call: AuthorisedCall, error: ToolError | undefined): void {
  const { state, settings, entry } = call;
  const now = state.parts.clock.monotonic();
  state.executionEnded = now;
  const waitedForPersonMs = state.waitedForPersonMs - state.waitedBeforeStartMs;
  settings.meter.ended(now - state.executionStarted - waitedForPersonMs, error?.name, now);
  entry.end(error === undefined ? "ok" : verdictOn(call, error));
}

function verdictOn(call: AuthorisedCall, error: ToolError): "failed" | "critical" {
  const { timeoutMs = Infinity } = call.validated.received;
  // A timeout by a caller's limit that is shorter than the tool's says nothing about the tool.
  const isHasty = error === call.state.aborted && timeoutMs < (call.settings.timeoutMs ?? Infinity);
  return !isHasty && isCritical(error) ? "critical" : "failed";
}

async function retry(call: AuthorisedCall, error: ToolError): Promise<unknown> {
  const { state, settings, validated } = call;
  const { clock, random } = state.parts;
  const delayMs = retryDelay(state.attempts, settings.retry, random);
  announce(validated.received, "TOOL_CALL_RETRIED", () => ({
    attempt: state.attempts,
    delayMs,
    error: toErrorInfo(error),
  }));
  await clock.sleep(delayMs, state.abortSignal);
  if (state.aborted !== undefined) throw state.aborted; // a clock may ignore the signal
  return attempt(call);
}

function mayRetry({ state, settings }: AuthorisedCall, error: ToolError): boolean {
  if (!error.retryable || state.aborted !== undefined) return false;
  const { annotations, retry: policy } = settings;
  const repeatable = annotations.idempotent === true || annotations.readOnly === true;
  return repeatable && state.attempts <= (policy.attempts ?? 0);
}

function checkResult({ state, entry }: AuthorisedCall, value: unknown): unknown {
  const plain = toPlainResult(value);
  if (plain.changed !== undefined) state.note({ resultNote: plain.changed });
  const result = unwrapResult(plain.value, entry);
  if (entry.output === undefined) return result;
  const checked = entry.output.check(result);
  if (checked.ok) return checked.value;
  const faults = checked.issues.map(({ message }) => message).join("; ");
  throw new ToolExecutionError(
    `"${entry.name}" returned a result that does not match its output schema: ${faults}`,
    { code: "RESULT_INVALID", details: { issues: checked.issues } },
  );
}

/**
 * Take a `{ success, data | result, error }` apart: the data is the result, and `success: false` is a failed call.
 * What a tool declares in its output schema is its result as a whole, and so is what an MCP server returns.
 */
function unwrapResult(value: unknown, { tool, name, output }: ToolEntry): unknown {
  if (!isToolResult(value) || tool.category === "mcp" || declaresSuccess(output?.jsonSchema)) return value;
  if (value.success) return value.data === undefined ? value.result : value.data;
  const { message, code } = errorOf(value);
  const data = value.data ?? value.result;
  throw new ToolExecutionError(message ?? `"${name}" failed without giving a reason.`, {
    ...(code !== undefined && { code }),
    ...(data !== undefined && { details: { data } }),
  });
}

function declaresSuccess(schema: unknown): boolean {
  return isRecord(schema) && isRecord(schema["properties"]) && Object.hasOwn(schema["properties"], "success");
}

function errorOf({ error }: ToolResult): { readonly message?: string; readonly code?: string } {
  if (typeof error === "string" && error.trim() !== "") return { message: error };
  if (!isRecord(error)) return {};
  const { message, code } = error;
  return {
    ...(typeof message === "string" && message.trim() !== "" && { message }),
    ...(typeof code === "string" && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) && { code }),
  };
}
