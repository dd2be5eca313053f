import type { HookCall } from "../contract/extension.js";
import type { Call } from "./call.js";

/** The call as a hook is told of it; the signal is made only where it is asked for. */
export class HookScope implements HookCall {
  readonly #call: Call;
  #controller: AbortController | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  get callId(): string {
    return this.#call.callId;
  }
  get sessionId(): string {
    return this.#call.session.id;
  }
  get taskId(): string | undefined {
    return this.#call.taskId;
  }
  get agent(): string {
    return this.#call.session.agent;
  }
  get userId(): string | undefined {
    return this.#call.session.userId;
  }
  get parentCallId(): string | undefined {
    return this.#call.shownUnder?.callId;
  }
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      this.#call.onAbort((reason) => controller.abort(reason));
    }
    return this.#controller.signal;
  }

  /** Wake the call's own time wheel after a while. */
  after(ms: number, run: () => void): () => void {
    const { deadlines } = this.#call.parts;
    const deadline = deadlines.add(ms, run);
    return () => deadlines.remove(deadline);
  }

  stop(reason: Error): void {
    this.#controller?.abort(reason);
  }
}

/** Settle with the hook, or reject when its time is over; what it does afterwards is nobody's business. */
export function withinTime(
  running: PromiseLike<unknown>,
  { name, timeoutMs }: { readonly name: string; readonly timeoutMs: number },
  scope: HookScope,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = scope.after(timeoutMs, () => {
      const late = new Error(`"${name}" did not answer within ${timeoutMs} ms`);
      scope.stop(late);
      reject(late);
    });
    Promise.resolve(running).then(
      (value) => {
        cancel();
        resolve(value);
      },
      (cause: unknown) => {
        cancel();
        reject(cause);
      },
    );
  });
}
