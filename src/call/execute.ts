import { type ToolError, ToolExecutionError } from "../contract/errors.js";
import { toPlainResult } from "../schema/plain-result.js";
import { retryDelay } from "../scheduler/retry.js";
import { announce } from "./announce.js";
import type { AuthorisedCall } from "./call.js";
import { contextOf } from "./context.js";
import { isCritical, toErrorInfo, toToolError } from "./failure.js";
import { recordStart } from "./record.js";
import { drain, isGenerator } from "./stream-output.js";
import { startClock } from "./time-limit.js";

/** Run the tool with its time limit, cancellation, retries and streaming, and check what it returned. */
export function execute(call: AuthorisedCall): unknown {
  const recording = recordStart(call);
  if (recording === undefined) return enter(call);
  call.delayed = true;
  return recording.then(() => {
    if (call.aborted !== undefined) throw call.aborted;
    return enter(call);
  });
}

function enter(call: AuthorisedCall): unknown {
  const starting = call.entry.begin();
  return starting === undefined ? begin(call) : beginAfter(call, starting);
}

/** The tool's own start has a limit of its own; the tool's time limit is for its work, the caller's for all. */
async function beginAfter(call: AuthorisedCall, starting: Promise<void>): Promise<unknown> {
  const { entry } = call;
  if (call.requestedTimeoutMs !== undefined) startClock(call);
  call.delayed = true;
  try {
    await call.race(starting);
  } catch (thrown) {
    // Where the call is over but the start goes on, the tool must not count it as running ever after.
    starting.then(() => entry.end("failed")).catch(() => undefined);
    throw thrown;
  }
  return begin(call);
}

function begin(call: AuthorisedCall): unknown {
  const waitedMs = call.ticket?.waitedMs ?? 0;
  call.started = true;
  // A call that did not wait has looked at the clock a moment ago.
  call.executionStarted =
    waitedMs === 0 && !call.delayed ? call.startedMonotonic : call.parts.clock.monotonic();
  call.settings.meter.began(waitedMs, call.executionStarted);
  announce(call, "TOOL_CALL_STARTED", () => ({
    waitedMs,
    ...(call.decision !== undefined && { decision: call.decision }),
  }));
  let running: unknown;
  try {
    running = attempt(call);
    if (!isPromise(running)) return succeed(call, running);
  } catch (thrown) {
    running = retryOrFail(call, thrown);
  }
  startClock(call);
  return settle(call, toPromise(running));
}

/** One try. */
function attempt(call: AuthorisedCall): unknown {
  call.attempts++;
  const value: unknown = call.entry.tool.execute(call.input, contextOf(call));
  return isGenerator(value) ? drain(call, value) : value;
}

/** Wait for a try, or for what stops the call; a promise that may outlive the call is remembered. */
function settle(call: AuthorisedCall, running: Promise<unknown>): Promise<unknown> {
  call.lingering = running;
  return call.race(running).then(
    (value) => {
      call.lingering = undefined;
      return checkedOrRetried(call, value);
    },
    (thrown: unknown) => {
      if (call.aborted === undefined) call.lingering = undefined;
      return settle(call, retryOrFail(call, call.aborted ?? thrown));
    },
  );
}

function checkedOrRetried(call: AuthorisedCall, value: unknown): unknown {
  try {
    return isGenerator(value) ? settle(call, drain(call, value)) : succeed(call, value);
  } catch (thrown) {
    return settle(call, retryOrFail(call, thrown));
  }
}

function succeed(call: AuthorisedCall, value: unknown): unknown {
  const result = checkResult(call, value);
  finish(call, undefined);
  return result;
}

/** Try again where that makes sense; else the call has failed. */
function retryOrFail(call: AuthorisedCall, thrown: unknown): Promise<unknown> {
  const error = toToolError(thrown, call.entry.name);
  if (mayRetry(call, error)) return retry(call, error);
  finish(call, error);
  throw error;
}

function finish(call: AuthorisedCall, error: ToolError | undefined): void {
  const now = call.parts.clock.monotonic();
  call.executionEnded = now;
  call.settings.meter.ended(now - call.executionStarted, error?.name, now);
  call.entry.end(verdict(call, error));
}

async function retry(call: AuthorisedCall, error: ToolError): Promise<unknown> {
  const { clock, random } = call.parts;
  const delayMs = retryDelay(call.attempts, call.settings.retry, random);
  announce(call, "TOOL_CALL_RETRIED", () => ({ attempt: call.attempts, delayMs, error: toErrorInfo(error) }));
  await clock.sleep(delayMs, call.abortSignal);
  if (call.aborted !== undefined) throw call.aborted; // a clock may not heed the signal
  return attempt(call);
}

function mayRetry(call: AuthorisedCall, error: ToolError): boolean {
  if (!error.retryable || call.aborted !== undefined) return false;
  const { annotations } = call.settings;
  const repeatable = annotations.idempotent === true || annotations.readOnly === true;
  return repeatable && call.attempts <= (call.settings.retry.attempts ?? 0);
}

function checkResult(call: AuthorisedCall, value: unknown): unknown {
  const plain = toPlainResult(value);
  if (plain.changed !== undefined) call.note({ resultNote: plain.changed });
  const { output } = call.entry;
  if (output === undefined) return plain.value;
  const checked = output.check(plain.value);
  if (checked.ok) return checked.value;
  throw new ToolExecutionError(
    `"${call.entry.name}" returned something else than its output schema says: ${checked.issues.map((i) => i.message).join("; ")}`,
    { code: "RESULT_INVALID", details: { issues: checked.issues } },
  );
}

function verdict(call: AuthorisedCall, error: ToolError | undefined): "ok" | "failed" | "critical" {
  if (error === undefined) return "ok";
  // A caller in a hurry says nothing about the tool.
  if (error === call.aborted && isHasty(call)) return "failed";
  return isCritical(error) ? "critical" : "failed";
}

function isHasty({ requestedTimeoutMs, settings }: AuthorisedCall): boolean {
  return requestedTimeoutMs !== undefined && requestedTimeoutMs < (settings.timeoutMs ?? Infinity);
}

/** A foreign thenable is asked once only: some begin their work anew each time. */
function toPromise(running: unknown): Promise<unknown> {
  return running instanceof Promise ? running : Promise.resolve(running);
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
