import type { Worker } from "node:worker_threads";
import { settlesWithin } from "../../contract/system-clock.js";
import type { CodeIndexState } from "../../contract/ports/code.js";
import { ToolCancelledError, ToolUnavailableError } from "../../contract/errors.js";
import type { RequestName, Requests, Response, SymbolIndexSetup } from "./worker/messages.js";
import { startWorker } from "./worker/start-worker.js";

/** The worker thread that builds and stores the index. */
export interface SymbolIndexThread {
  /** The state that the thread last reported. */
  readonly state: CodeIndexState;
  request<Name extends RequestName>(
    name: Name,
    input: Requests[Name]["input"],
    signal?: AbortSignal,
  ): Promise<Requests[Name]["result"]>;
  close(): Promise<void>;
}

interface PendingRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** How long closing waits for the index to be written. */
const closeMs = 2000;
const noIndex: CodeIndexState = { state: "none", filesParsed: 0, filesKnown: 0 };

/** Start the thread. If it dies, pending requests fail and the next request starts another one. */
export function openSymbolIndexThread(setup: SymbolIndexSetup): SymbolIndexThread {
  const pending = new Map<number, PendingRequest>();
  let state = noIndex;
  let worker: Worker | undefined;
  let nextId = 1;
  const onEnd = (): void => {
    worker = undefined;
    state = noIndex;
    const error = new ToolUnavailableError("The thread of the code index ended unexpectedly.", {
      retryable: true,
    });
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  const onResponse = (response: Response): void => {
    state = response.state;
    if (!("id" in response)) return;
    const waiting = pending.get(response.id);
    pending.delete(response.id);
    if (pending.size === 0) worker?.unref();
    if ("error" in response) waiting?.reject(new Error(response.error));
    else waiting?.resolve(response.result);
  };
  const ensureWorker = (): Worker => {
    if (worker !== undefined) return worker;
    const fresh = startWorker(setup);
    fresh.on("message", onResponse);
    fresh.once("error", () => fresh === worker && onEnd());
    fresh.once("exit", () => fresh === worker && onEnd());
    return (worker = fresh);
  };
  const request: SymbolIndexThread["request"] = async (name, input, signal) => {
    if (signal?.aborted === true) throw new ToolCancelledError();
    const running = ensureWorker();
    const id = nextId++;
    // Keep the process alive while a request is pending.
    running.ref();
    const result = await new Promise<unknown>((resolve, reject) => {
      pending.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => reject(new ToolCancelledError()), { once: true });
      running.postMessage({ id, name, input }, []);
    });
    return result as Requests[typeof name]["result"];
  };
  const askToClose = async (): Promise<void> => {
    const closed = request("close", {}).catch(() => undefined);
    await settlesWithin(closed, closeMs);
  };
  return {
    get state() {
      return state;
    },
    request,
    async close() {
      const running = worker;
      if (running === undefined) return;
      // Before the index is ready nothing is stored, and the thread may be busy.
      if (state.state === "ready") await askToClose();
      worker = undefined;
      await running.terminate();
    },
  };
}
