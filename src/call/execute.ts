import { ToolError, ToolExecutionError, ToolTimeoutError } from "../contract/errors.js";
import { toPlainResult } from "../schema/plain-result.js";
import { retryDelay } from "../scheduler/retry.js";
import { announce } from "./announce.js";
import type { AuthorisedCall } from "./call.js";
import { contextOf } from "./context.js";
import { isCritical, toErrorInfo, toToolError } from "./failure.js";
import { validateInput } from "./validate.js";
import { drain, isGenerator } from "./stream-output.js";

/** Run the tool with its time limit, cancellation, retries and streaming, and check what it returned. */
export function execute(call: AuthorisedCall): unknown {
  if (call.entry.successor !== undefined) moveToSuccessor(call);
  const starting = call.entry.begin();
  if (starting === undefined) return begin(call);
  return call.race(starting).then(() => begin(call));
}

/** The tool was replaced while the call waited: what has not begun runs on the new one, if its input fits. */
function moveToSuccessor(call: AuthorisedCall): void {
  while (call.entry.successor !== undefined) call.entry = call.entry.successor;
  call.settings = call.parts.settings(call.entry);
  validateInput(call, call.input);
}

function begin(call: AuthorisedCall): unknown {
  const { meter } = call.settings;
  const waitedMs = call.ticket?.waitedMs ?? 0;
  const startedAt = call.parts.clock.monotonic();
  call.started = true;
  meter.began(waitedMs, startedAt);
  announce(call, "TOOL_CALL_STARTED", () => ({ waitedMs, ...(call.decision !== undefined && { decision: call.decision }) }));
  const ended = (error: ToolError | undefined): void => {
    const endedAt = call.parts.clock.monotonic();
    meter.ended(endedAt - startedAt, error?.name, endedAt);
    call.entry.end(verdict(error));
  };
  let running: unknown;
  try {
    running = attempt(call);
    if (!isPromise(running)) running = checkResult(call, running);
  } catch (thrown) {
    const error = toToolError(thrown, call.entry.name);
    if (!mayRetry(call, error)) {
      ended(error);
      throw error;
    }
    running = Promise.reject(error);
  }
  if (!isPromise(running)) {
    ended(undefined);
    return running;
  }
  return settle(call, running, ended);
}

/** One try. A promise that comes back may outlive the call, so it is remembered until it settles. */
function attempt(call: AuthorisedCall): unknown {
  call.attempts++;
  const value: unknown = call.entry.tool.execute(call.input, contextOf(call));
  return isGenerator(value) ? drain(call, value) : value;
}

async function settle(
  call: AuthorisedCall,
  first: PromiseLike<unknown>,
  ended: (error: ToolError | undefined) => void,
): Promise<unknown> {
  startClock(call);
  let running = first;
  for (;;) {
    try {
      const result = checkResult(call, await waitFor(call, running));
      ended(undefined);
      return result;
    } catch (thrown) {
      const error = toToolError(call.aborted ?? thrown, call.entry.name);
      if (!mayRetry(call, error)) {
        ended(error);
        throw error;
      }
      running = retry(call, error);
    }
  }
}

async function waitFor(call: AuthorisedCall, running: PromiseLike<unknown>): Promise<unknown> {
  const native = Promise.resolve(running);
  call.lingering = native;
  const value = await call.race(native);
  call.lingering = undefined;
  return value;
}

async function retry(call: AuthorisedCall, error: ToolError): Promise<unknown> {
  call.lingering = undefined;
  const { clock, random } = call.parts;
  const delayMs = retryDelay(call.attempts, call.settings.retry, random);
  announce(call, "TOOL_CALL_RETRIED", () => ({ attempt: call.attempts, delayMs, error: toErrorInfo(error) }));
  await clock.sleep(delayMs, call.abortSignal);
  return attempt(call);
}

function mayRetry(call: AuthorisedCall, error: ToolError): boolean {
  if (!error.retryable || call.aborted !== undefined || error instanceof ToolTimeoutError) return false;
  const { annotations } = call.settings;
  const repeatable = annotations.idempotent === true || annotations.readOnly === true;
  return repeatable && call.attempts <= (call.settings.retry.attempts ?? 0);
}

function startClock(call: AuthorisedCall): void {
  const limit = call.requestedTimeoutMs ?? call.settings.timeoutMs;
  if (limit === null) return;
  call.deadline = call.parts.deadlines.add(limit, () => {
    call.abort(
      new ToolTimeoutError(`"${call.entry.name}" ran past its time limit of ${limit} ms and was stopped.`, {
        toolName: call.entry.name,
        hint: "Do less in one call, or pass a larger timeoutMs.",
        details: { timeoutMs: limit },
      }),
    );
  });
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

function verdict(error: ToolError | undefined): "ok" | "failed" | "critical" {
  if (error === undefined) return "ok";
  return isCritical(error) ? "critical" : "failed";
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
