import { ToolTimeoutError } from "../contract/errors.js";
import type { Ticket } from "../scheduler/scheduler.js";
import { authorise, carryOver, type AuthorisedCall } from "./authorise.js";
import type { CallState } from "./call-state.js";
import { resolveSuccessor } from "./resolve.js";
import { validateInput, type ValidatedCall } from "./validate.js";

/** Run the call after earlier conflicting ones and within the limits; takes an authorised call only. */
export function schedule(call: AuthorisedCall, run: (call: AuthorisedCall) => unknown): unknown {
  const { state, settings, validated } = call;
  const acquiring = state.parts.scheduler.acquire({
    limits: settings.limits,
    priority: validated.received.priority ?? settings.priority,
    locks: validated.locks,
    parent: state.origin.parent?.state.ticket,
    onAbort: (cancel) => state.onAbort(cancel),
  });
  if (acquiring instanceof Promise)
    return acquiring.then(
      (ticket) => runWith(call, ticket, run),
      (thrown: unknown) => {
        // The scheduler only knows that the call must not wait any more.
        throw state.aborted instanceof ToolTimeoutError ? state.aborted : thrown;
      },
    );
  return runWith(call, acquiring, run);
}

function runWith(call: AuthorisedCall, ticket: Ticket, run: (call: AuthorisedCall) => unknown): unknown {
  const { state } = call;
  const { scheduler } = state.parts;
  state.ticket = ticket;
  let running: unknown;
  try {
    if (state.aborted !== undefined) throw state.aborted;
    if (call.entry.successor === undefined) running = run(call);
    else {
      // The tool was replaced while the call waited: it runs on the new version, if its input fits.
      const moved = validateInput(resolveSuccessor(call.validated.resolved), call.validated.plainInput);
      const carried = carryOver(call, moved);
      if (carried === undefined) {
        scheduler.release(ticket);
        return startOver(moved, run);
      }
      running = run(carried);
    }
  } catch (thrown) {
    scheduler.release(ticket);
    throw thrown;
  }
  if (running instanceof Promise) {
    return running.then(
      (value: unknown) => {
        releaseWhenDone(state, ticket);
        return value;
      },
      (thrown: unknown) => {
        releaseWhenDone(state, ticket);
        throw thrown;
      },
    );
  }
  scheduler.release(ticket);
  return running;
}

/** The new version needs other locks or consent than were granted, so the call is judged and scheduled again. */
async function startOver(call: ValidatedCall, run: (call: AuthorisedCall) => unknown): Promise<unknown> {
  return schedule(await authorise(call), run);
}

/** A tool that runs on after it was stopped keeps its locks, but only for a grace period. */
function releaseWhenDone({ parts, lingering }: CallState, ticket: Ticket): void {
  const { scheduler, deadlines, cancelGraceMs } = parts;
  if (lingering === undefined) {
    scheduler.release(ticket);
    return;
  }
  const grace = deadlines.add(cancelGraceMs, () => scheduler.release(ticket));
  const release = () => {
    deadlines.remove(grace);
    scheduler.release(ticket);
  };
  lingering.then(release, release);
}
