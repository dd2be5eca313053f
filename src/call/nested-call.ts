import { setImmediate as nextTurn } from "node:timers/promises";
import type { ToolEnvelope } from "../contract/call.js";
import { ToolUnavailableError } from "../contract/errors.js";
import type { CallOrigin } from "./call-origin.js";
import type { ReceivedCall } from "./receive.js";

/** Unfinished calls that one call from outside may have below it. */
const maxUnfinished = 10_000;

/** Nested calls after which the event loop gets its turn: tools that call each other without waiting would starve even their own time limits. */
const callsPerTurn = 256;

/** What all calls below one call from outside share. */
export interface NestedBudget {
  unfinished: number;
  thisTurn: number;
  turn: Promise<void> | undefined;
}

/** Make a call for the tool of a running call. It belongs to that call's session and task, and stops with it. */
export async function callNested(parent: ReceivedCall, request: unknown): Promise<ToolEnvelope> {
  const { origin, parts } = parent.state;
  const { session, toolset, onEvent } = origin;
  const budget = (parent.root.state.nestedBudget ??= { unfinished: 0, thisTurn: 0, turn: undefined });
  const fault = budget.unfinished >= maxUnfinished ? tooManyCalls() : undefined;
  const nested: CallOrigin = { session, toolset, onEvent, parent, fault };
  budget.unfinished++;
  try {
    while (budget.thisTurn >= callsPerTurn) await (budget.turn ??= startTurn(budget));
    budget.thisTurn++;
    const answer = await parts.run(request, nested);
    if (answer.metadata.untrusted === true) parent.state.tainted = true;
    return answer;
  } finally {
    budget.unfinished--;
  }
}

async function startTurn(budget: NestedBudget): Promise<void> {
  await nextTurn();
  budget.thisTurn = 0;
  budget.turn = undefined;
}

function tooManyCalls(): ToolUnavailableError {
  return new ToolUnavailableError(`More than ${maxUnfinished} nested calls of one call are unfinished.`, {
    code: "QUEUE_FULL",
    hint: "Wait for some of them before making more.",
  });
}
