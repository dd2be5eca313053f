import type { HookCall } from "../contract/extension.js";
import type { ReceivedCall } from "./receive.js";

/** The call as a hook sees it; the signal is created when it is first read. */
export class HookScope implements HookCall {
  readonly #call: ReceivedCall;
  #controller: AbortController | undefined;

  constructor(call: ReceivedCall) {
    this.#call = call;
  }

  get callId(): string {
    return this.#call.callId;
  }
  get sessionId(): string {
    return this.#call.state.session.id;
  }
  get taskId(): string | undefined {
    return this.#call.taskId;
  }
  get agent(): string {
    return this.#call.state.session.agent;
  }
  get userId(): string | undefined {
    return this.#call.state.session.userId;
  }
  get parentCallId(): string | undefined {
    return this.#call.shownUnder?.callId;
  }
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      this.#call.state.onAbort((reason) => controller.abort(reason));
    }
    return this.#controller.signal;
  }

  /** Run something later, unless the returned function is called first. */
  after(ms: number, run: () => void): () => void {
    const { deadlines } = this.#call.state.parts;
    const deadline = deadlines.add(ms, run);
    return () => deadlines.remove(deadline);
  }

  stop(reason: Error): void {
    this.#controller?.abort(reason);
  }
}

/** Settle with the hook, or reject when its time is over; what it does afterwards is ignored. */
export function withinHookTime(
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
