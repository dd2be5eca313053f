import { setImmediate as nextTurn } from "node:timers/promises";
import type { ToolEnvelope } from "../contract/call.js";
import { ToolUnavailableError } from "../contract/errors.js";
import type { Call, CallOrigin } from "./call.js";

/** Calls below one call that may be unfinished at the same time. */
const maxUnfinished = 10_000;

/** Calls below one call after which the event loop gets its turn: tools that call each other without waiting would starve even their own time limits. */
const callsPerTurn = 256;

/** What all calls below one call share. */
export interface Brood {
  unfinished: number;
  thisTurn: number;
  turn: Promise<void> | undefined;
}

/** Make a call for the tool of a running one; it belongs to that one's session and task, and stops with it. */
export async function callBelow(parent: Call, request: unknown): Promise<ToolEnvelope> {
  const { session, toolset, onEvent } = parent.origin;
  const brood = (parent.root.brood ??= { unfinished: 0, thisTurn: 0, turn: undefined });
  const fault = brood.unfinished >= maxUnfinished ? tooMany() : undefined;
  const origin: CallOrigin = { session, toolset, onEvent, parent, fault };
  brood.unfinished++;
  try {
    while (brood.thisTurn >= callsPerTurn) await (brood.turn ??= waitTurn(brood));
    brood.thisTurn++;
    const answer = await parent.parts.run(request, origin);
    if (answer.metadata.untrusted === true) parent.tainted = true;
    return answer;
  } finally {
    brood.unfinished--;
  }
}

async function waitTurn(brood: Brood): Promise<void> {
  await nextTurn();
  brood.thisTurn = 0;
  brood.turn = undefined;
}

function tooMany(): ToolUnavailableError {
  return new ToolUnavailableError(`More than ${maxUnfinished} calls below one call are unfinished.`, {
    code: "QUEUE_FULL",
    hint: "Wait for some of them before making more.",
  });
}
