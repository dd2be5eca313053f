import type { Ticket } from "../scheduler/scheduler.js";
import { authorise } from "./authorise.js";
import type { AuthorisedCall } from "./call.js";
import { moveToSuccessor } from "./successor.js";

/** Run the call behind earlier conflicting ones and within the limits; takes an authorised call only. */
export function schedule(call: AuthorisedCall, run: (call: AuthorisedCall) => unknown): unknown {
  const { scheduler } = call.parts;
  const acquiring = scheduler.acquire({
    limits: call.settings.limits,
    priority: call.requestedPriority ?? call.settings.priority,
    locks: call.locks,
    parent: call.origin.parent?.ticket,
    onAbort: (cancel) => call.onAbort(cancel),
  });
  if (acquiring instanceof Promise) return acquiring.then((ticket) => runWith(call, ticket, run));
  return runWith(call, acquiring, run);
}

function runWith(call: AuthorisedCall, ticket: Ticket, run: (call: AuthorisedCall) => unknown): unknown {
  call.ticket = ticket;
  let running: unknown;
  try {
    if (call.aborted !== undefined) throw call.aborted;
    if (call.entry.successor !== undefined && !moveToSuccessor(call)) {
      call.parts.scheduler.release(ticket);
      return startOver(call, run);
    }
    running = run(call);
  } catch (thrown) {
    call.parts.scheduler.release(ticket);
    throw thrown;
  }
  if (running instanceof Promise) {
    return running.then(
      (value: unknown) => {
        releaseWhenStill(call, ticket);
        return value;
      },
      (thrown: unknown) => {
        releaseWhenStill(call, ticket);
        throw thrown;
      },
    );
  }
  call.parts.scheduler.release(ticket);
  return running;
}

/** What the new tool asks for is not what was granted: the call is judged and scheduled anew. */
async function startOver(call: AuthorisedCall, run: (call: AuthorisedCall) => unknown): Promise<unknown> {
  return schedule(await authorise(call), run);
}

/**
 * A tool that goes on after it was stopped keeps its locks until it is still, so that
 * nobody writes beside it; but not for ever, or one bad tool would block all others.
 */
function releaseWhenStill(call: AuthorisedCall, ticket: Ticket): void {
  const { scheduler, deadlines, cancelGraceMs } = call.parts;
  if (call.lingering === undefined) {
    scheduler.release(ticket);
    return;
  }
  const grace = deadlines.add(cancelGraceMs, () => scheduler.release(ticket));
  const release = () => {
    deadlines.remove(grace);
    scheduler.release(ticket);
  };
  call.lingering.then(release, release);
}
