import { ToolCancelledError } from "../../contract/errors.js";
import type { CallStop } from "../../contract/host.js";
import { TransientMap } from "../../contract/transient-map.js";

/** Calls that run, by the ids of their requests, so that they can be cancelled. */
export class RunningCalls {
  readonly #calls = new TransientMap<string | number, { call: RunningCall | undefined }>();

  start(id: string | number): RunningCall {
    const call = new RunningCall();
    this.#calls.set(id, { call });
    return call;
  }

  end(id: string | number, call: RunningCall): void {
    const holder = this.#calls.get(id);
    if (holder?.call !== call) return;
    holder.call = undefined; // earlier tables of the map may be kept for long, see docs/performance.md
    this.#calls.delete(id);
  }

  /** Take a `notifications/cancelled`; `false` where the request is not one of these. */
  cancel(params: unknown): boolean {
    const { requestId, reason } = Object(params) as { requestId?: string | number; reason?: unknown };
    const call = requestId === undefined ? undefined : this.#calls.get(requestId)?.call;
    if (call === undefined) return false;
    call.cancel(reason);
    return true;
  }

  stopAll(): void {
    for (const { call } of this.#calls.values()) call?.abort("The host has disconnected.");
    this.#calls.clear();
  }
}

export class RunningCall implements CallStop {
  onAbort: ((reason: string) => void) | undefined;
  #reason: string | undefined;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  abort(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.onAbort?.(reason);
    this.#controller?.abort(new ToolCancelledError(reason));
  }

  /** The host does not want it any more. */
  cancel(reason: unknown): void {
    const why = typeof reason === "string" ? `: ${reason.slice(0, 200)}` : "";
    this.abort(`The host cancelled the call${why}.`);
  }

  /** Made on first use: most calls do without. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(new ToolCancelledError(this.#reason));
    return this.#controller.signal;
  }
}
