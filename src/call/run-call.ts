import type { ToolEnvelope } from "../contract/call.js";
import { authorise, type AuthorisedCall } from "./authorise.js";
import type { CallOrigin } from "./call-origin.js";
import { execute } from "./execute.js";
import { askExtensions, tellExtensions } from "./extensions.js";
import { toToolError, toErrorInfo } from "./failure.js";
import { watchLoops } from "./loop-guard.js";
import type { Outcome } from "./outcome.js";
import type { SpineParts } from "./parts.js";
import { accept, receive, type ReceivedCall } from "./receive.js";
import { executeOrRecall } from "./recall.js";
import { record } from "./record.js";
import { answerAgain, giveAgain, keepAnswer } from "./repeat.js";
import { resolve } from "./resolve.js";
import { respond } from "./respond.js";
import { schedule } from "./schedule.js";
import { validate } from "./validate.js";
import type { ToolError } from "../contract/errors.js";

/**
 * The one path from a call to its answer. Start reading here.
 *
 * Each stage returns a record of its own that only it can make, and takes the record of the stage before. It never
 * throws: every failure becomes an outcome, is recorded like a success and returned as an envelope. Promises are
 * awaited only where a stage really made one, so that a simple call runs through without waiting.
 */
export async function runCall(
  request: unknown,
  origin: CallOrigin,
  parts: SpineParts,
): Promise<ToolEnvelope> {
  const received = receive(request, origin, parts);
  const { state } = received;
  const { hooks, loopGuard } = parts;
  if (state.depth === 0) parts.inFlight.enter(received);
  let outcome: Outcome;
  try {
    accept(received);
    const arriving = parts.awaitTool?.(received.toolName, origin);
    if (arriving !== undefined) await state.race(arriving);
    const resolved = resolve(received);
    let validated = validate(resolved);
    const earlier = received.idempotencyKey === undefined ? undefined : await answerAgain(validated);
    if (earlier !== undefined) return giveAgain(received, earlier);
    if (hooks.execute !== undefined) validated = await askExtensions(validated, hooks.execute);
    if (loopGuard?.idle === false) loopGuard.refuse(validated);
    const deciding = authorise(validated);
    const authorised = deciding instanceof Promise ? await deciding : deciding;
    const running = schedule(authorised, runTool);
    outcome = { call: received, result: running instanceof Promise ? await running : running };
  } catch (thrown) {
    outcome = await answerByFallback(received, toToolError(thrown, received.toolName));
  }
  try {
    state.end();
    const isWatched = outcome.error !== undefined || loopGuard?.idle === false;
    if (loopGuard !== undefined && isWatched) outcome = watchLoops(outcome, loopGuard);
    const envelope = respond(outcome);
    if (hooks.complete !== undefined) await tellExtensions(received, envelope, hooks.complete);
    const recording = record(outcome, envelope);
    if (recording !== undefined) await recording;
    if (state.keyed !== undefined) await keepAnswer(outcome, envelope);
    return envelope;
  } finally {
    if (state.depth === 0) parts.inFlight.leave(received);
  }
}

function runTool(call: AuthorisedCall): unknown {
  const { cache } = call.state.parts;
  if (cache === undefined || call.settings.cacheId === undefined) return execute(call);
  return executeOrRecall(call, cache);
}

/** Errors that mean the tool is at fault, not the caller. */
const recoverable = new Set([
  "ToolUnavailableError",
  "ToolTimeoutError",
  "ToolExecutionError",
  "ToolInternalError",
]);

/** Call the fallback of a tool that could not answer, with all checks; if it fails too, the first error is the answer. */
async function answerByFallback(call: ReceivedCall, error: ToolError): Promise<Outcome> {
  const { state, arguments: sent, taskId, priority, timeoutMs } = call;
  const fallback = recoverable.has(error.name) && sent.ok ? fallbackOf(call) : undefined;
  if (fallback === undefined || state.isStoppedByCaller) return { call, error };
  // This call's own time limit no longer applies; the fallback has its own.
  state.stopClock();
  const request = {
    name: fallback,
    arguments: state.validated?.plainInput ?? (sent.ok ? sent.value : undefined),
    ...(taskId !== undefined && { taskId }),
    ...(priority !== undefined && { priority }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  const { run, redact } = state.parts;
  const standIn = await run(request, { ...state.origin, fallbackFor: call });
  state.fallbackCall = undefined;
  if (!standIn.success) return { call, error: state.aborted ?? error };
  state.note({ answeredBy: standIn.toolName, fallbackReason: redact(toErrorInfo(error).message) });
  if (standIn.metadata.untrusted === true) state.note({ untrusted: true });
  return { call, result: standIn.result, standIn };
}

/** The tool to call instead, unless it is one that has failed already on the way here. */
function fallbackOf(call: ReceivedCall): string | undefined {
  const fallback = toolOf(call)?.fallback;
  const standIn = fallback === undefined ? undefined : call.state.parts.registry.get(fallback);
  if (standIn === undefined) return undefined;
  for (
    let failed: ReceivedCall | undefined = call;
    failed !== undefined;
    failed = failed.state.origin.fallbackFor
  ) {
    if (toolOf(failed)?.name === standIn.name) return undefined;
  }
  return fallback;
}

function toolOf({ state, toolName }: ReceivedCall) {
  return state.resolved?.entry.tool ?? state.parts.registry.get(toolName);
}
