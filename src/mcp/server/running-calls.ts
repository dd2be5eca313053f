import { ToolCancelledError } from "../../contract/errors.js";

/** Calls that run, by the ids of their requests, so that they can be cancelled. */
export class RunningCalls {
  readonly #controllers = new Map<string | number, AbortController>();

  start(id: string | number): AbortSignal {
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    return controller.signal;
  }

  end(id: string | number, signal: AbortSignal): void {
    if (this.#controllers.get(id)?.signal === signal) this.#controllers.delete(id);
  }

  /** Take a `notifications/cancelled`; `false` where the request is not one of these. */
  cancel(params: unknown): boolean {
    const { requestId, reason } = Object(params) as { requestId?: string | number; reason?: unknown };
    const controller = requestId === undefined ? undefined : this.#controllers.get(requestId);
    if (controller === undefined) return false;
    const why = typeof reason === "string" ? `: ${reason.slice(0, 200)}` : "";
    controller.abort(new ToolCancelledError(`The host cancelled the call${why}.`));
    return true;
  }

  stopAll(): void {
    for (const controller of this.#controllers.values())
      controller.abort(new ToolCancelledError("The host is gone."));
    this.#controllers.clear();
  }
}
