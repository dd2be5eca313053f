import { ToolTimeoutError } from "../../contract/errors.js";
import type { HostSession } from "../../contract/host.js";
import { maxTimerMs } from "../../contract/system-clock.js";
import type { Tenon } from "../../runtime/tenon.js";
import type { CallMessage } from "../protocol.js";

/** A call that runs in this worker. */
export interface RunningCall {
  readonly call: CallMessage;
  /** Under which it runs: another one than the caller's where it runs again. */
  readonly id: string;
  readonly controller: AbortController;
  readonly session: HostSession;
}

/**
 * Stop a call when its caller's limit is over, wherever it is by then. A tool's own limit counts from where the tool begins;
 * the caller of a fleet also waits while the call is in a queue or waits for the database. The result ends the watch.
 */
export function watchLimit(
  running: RunningCall,
  { tenon, onFault }: { readonly tenon: Tenon; readonly onFault: (cause: unknown) => void },
): () => void {
  const { name, timeoutMs } = running.call;
  if (timeoutMs === undefined) return () => {};
  const endsAt = performance.now() + timeoutMs;
  let timer: NodeJS.Timeout;
  let isOver = false;
  const check = async (): Promise<void> => {
    const left = endsAt + (await waitedForPerson(tenon, running)) - performance.now();
    if (isOver) return;
    if (left > 0) return checkIn(left);
    running.controller.abort(
      new ToolTimeoutError(`"${name}" exceeded its time limit of ${timeoutMs} ms and was stopped.`, {
        toolName: name,
        hint: "Do less in one call, or pass a larger timeoutMs.",
        details: { timeoutMs },
      }),
    );
  };
  const checkIn = (ms: number): void => {
    timer = setTimeout(() => void check().catch(onFault), Math.min(Math.ceil(ms), maxTimerMs)).unref();
  };
  checkIn(timeoutMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** How long a call has waited for a person, in ms: that does not count for its limit. */
export async function waitedForPerson(tenon: Tenon, { call, id }: RunningCall): Promise<number> {
  const known = await tenon.result(id, { principal: call.session.principal ?? "local" });
  if (known === undefined) return 0;
  const { waitedForPersonMs = 0 } = known.state === "running" ? known : known.envelope.metadata;
  return waitedForPersonMs;
}
