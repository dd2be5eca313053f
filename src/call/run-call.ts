import type { ToolEnvelope } from "../contract/call.js";
import { authorise } from "./authorise.js";
import { Call, type CallOrigin, type Outcome } from "./call.js";
import { askExtensions, tellExtensions } from "./extensions.js";
import { toToolError } from "./failure.js";
import { answerByFallback } from "./fallback.js";
import { watchLoops } from "./loop-guard.js";
import type { SpineParts } from "./parts.js";
import { receive } from "./receive.js";
import { executeOrRecall } from "./recall.js";
import { record } from "./record.js";
import { answerAgain, giveAgain, keepAnswer } from "./repeat.js";
import { resolve } from "./resolve.js";
import { respond } from "./respond.js";
import { schedule } from "./schedule.js";
import { validate } from "./validate.js";

/**
 * The one path from a call to its answer. Start reading here.
 *
 * It never throws: every failure on the way becomes an outcome, is recorded like a
 * success and leaves as an envelope. Promises are awaited only where a stage really
 * made one, so that a simple call runs through without waiting.
 */
export async function runCall(
  request: unknown,
  origin: CallOrigin,
  parts: SpineParts,
): Promise<ToolEnvelope> {
  const call = new Call(origin, parts);
  if (call.depth === 0) parts.inFlight.enter(call);
  let outcome: Outcome;
  try {
    receive(call, request);
    const arriving = parts.awaitTool?.(call.toolName, origin.toolset);
    if (arriving !== undefined) await call.race(arriving);
    const resolved = resolve(call);
    const validated = validate(resolved);
    const earlier = call.idempotencyKey === undefined ? undefined : await answerAgain(validated);
    if (earlier !== undefined) return giveAgain(call, earlier);
    if (parts.hooks.execute !== undefined) await askExtensions(validated, parts.hooks.execute);
    if (parts.loopGuard?.idle === false) parts.loopGuard.refuse(validated);
    const deciding = authorise(validated);
    if (deciding instanceof Promise) call.delayed = true;
    const authorised = deciding instanceof Promise ? await deciding : deciding;
    const running = schedule(authorised, executeOrRecall);
    const result = running instanceof Promise ? await running : running;
    outcome = { call, result };
  } catch (thrown) {
    outcome = await answerByFallback(call, toToolError(thrown, call.toolName));
  }
  try {
    call.end();
    if (parts.loopGuard !== undefined) outcome = watchLoops(outcome, parts.loopGuard);
    const envelope = respond(outcome);
    if (parts.hooks.complete !== undefined) await tellExtensions(call, envelope, parts.hooks.complete);
    const recording = record(outcome, envelope);
    if (recording !== undefined) await recording;
    if (call.keyed !== undefined) await keepAnswer(outcome, envelope);
    return envelope;
  } finally {
    if (call.depth === 0) parts.inFlight.leave(call);
  }
}
