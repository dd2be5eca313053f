import type { Worker } from "node:worker_threads";
import type { CodeIndexState } from "../../contract/ports/code.js";
import { ToolCancelledError, ToolUnavailableError } from "../../contract/errors.js";
import type { LibrarianSetup, QuestionName, Questions, Reply } from "./worker/messages.js";
import { startWorker } from "./worker/start-worker.js";

/** The thread that keeps the index, as everybody else sees it. */
export interface LibrarianThread {
  /** How far the index is, as it last said. */
  readonly state: CodeIndexState;
  ask<Name extends QuestionName>(
    name: Name,
    ask: Questions[Name]["ask"],
    signal?: AbortSignal,
  ): Promise<Questions[Name]["answer"]>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** How long closing waits for the index to be written. */
const closeMs = 2000;

/** Start the thread. Where it dies, what waits for it fails, and the next question starts another. */
export function openLibrarianThread(setup: LibrarianSetup): LibrarianThread {
  const waiting = new Map<number, Waiting>();
  let state: CodeIndexState = { state: "none", filesParsed: 0, filesKnown: 0 };
  let worker: Worker | undefined;
  let nextId = 1;
  const lose = (): void => {
    worker = undefined;
    state = { state: "none", filesParsed: 0, filesKnown: 0 };
    const error = new ToolUnavailableError("The thread that keeps the code index ended.", {
      retryable: true,
    });
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const hear = (reply: Reply): void => {
    state = reply.state;
    if (!("id" in reply)) return;
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0) worker?.unref();
    if ("error" in reply) asked?.reject(new Error(reply.error));
    else asked?.resolve(reply.answer);
  };
  const open = (): Worker => {
    if (worker !== undefined) return worker;
    const fresh = startWorker(setup);
    fresh.on("message", hear);
    fresh.once("error", () => fresh === worker && lose());
    fresh.once("exit", () => fresh === worker && lose());
    return (worker = fresh);
  };
  const ask: LibrarianThread["ask"] = async (name, question, signal) => {
    if (signal?.aborted === true) throw new ToolCancelledError();
    const running = open();
    const id = nextId++;
    // The process stays alive while somebody waits.
    running.ref();
    const answer = await new Promise<unknown>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => reject(new ToolCancelledError()), { once: true });
      running.postMessage({ id, name, ask: question }, []);
    });
    return answer as Questions[typeof name]["answer"];
  };
  return {
    get state() {
      return state;
    },
    ask,
    async close() {
      const running = worker;
      if (running === undefined) return;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeMs)));
      await Promise.race([ask("close", {}).catch(() => undefined), late]);
      clearTimeout(timer);
      worker = undefined;
      await running.terminate();
    },
  };
}
