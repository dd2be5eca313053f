import { fork } from "node:child_process";
import { EventEmitter } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ParserSetup } from "./messages.js";
import type { ParserJob, ParserResult } from "./parser.js";
import { startWorker, workerFile } from "./start-worker.js";

/** A thread that takes jobs: a worker of this process or of another one. */
export interface ParserThread {
  postMessage(job: ParserJob, transferred: []): void;
  on(event: "message", listener: (result: ParserResult) => void): unknown;
  once(event: "error" | "exit", listener: () => void): unknown;
  terminate(): Promise<unknown>;
}

/** A message to a thread of the parser process: start it, give it a job, or end it. */
type ToThread = { readonly thread: number } & (
  | { readonly setup: ParserSetup }
  | { readonly job: ParserJob }
  | { readonly ended: true }
);

/** A message from a thread: a result, or that it has ended. */
type FromThread = { readonly thread: number } & (
  | { readonly result: ParserResult }
  | { readonly ended: true }
);

/** Tells the worker's file to be the parser process. */
const processArgument = "parser-process";

/**
 * What `malloc` keeps for each thread, and the memory of V8 for the large functions of a grammar, came to 150 MB that a process does not give
 * back. Both are settled when a process starts.
 */
const processEnv = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "131072",
  MALLOC_MMAP_THRESHOLD_: "131072",
};
const processFlags = ["--v8-pool-size=1"];

/** Start threads that parse, in a process that ends with the last of them; in this process where there cannot be another. */
export function createParserStarter(setup: ParserSetup): () => ParserThread {
  let open: ParserProcess | undefined;
  let isUsable = canStartProcess();
  return () => {
    if (!isUsable) return startWorker(setup);
    try {
      open ??= openProcess(setup, (isExpected) => {
        open = undefined;
        // It was killed, or could not start: do without.
        if (!isExpected) isUsable = false;
      });
      return open.startThread();
    } catch {
      isUsable = false;
      return startWorker(setup);
    }
  };
}

/** Only where the program is known to be Node, and where it was measured. */
function canStartProcess(): boolean {
  return process.platform === "linux" && /^node(?:js)?$/u.test(path.basename(process.execPath));
}

interface ParserProcess {
  startThread(): ParserThread;
}

function openProcess(setup: ParserSetup, onEnd: (isExpected: boolean) => void): ParserProcess {
  const threads = new Map<number, EventEmitter>();
  const ending = new Set<number>();
  let nextThread = 0;
  let isLeft = false;
  const child = fork(fileURLToPath(workerFile()), [processArgument], {
    env: processEnv,
    execArgv: processFlags,
    serialization: "advanced",
    // In its own session it gets no Ctrl-C from the terminal: it ends with this process.
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  const send = (message: ToThread): void => void (child.connected && child.send(message, () => undefined));
  const leave = (): void => {
    if (isLeft) return;
    isLeft = true;
    onEnd(true);
    child.kill("SIGKILL"); // it holds nothing that would be lost
  };
  const endThread = (thread: number): void => {
    const events = threads.get(thread);
    threads.delete(thread);
    ending.delete(thread);
    events?.emit("exit");
    if (threads.size === 0) leave();
  };
  /** A thread waits for the compiler before it ends. Where no other one is left, nothing has to wait. */
  const askToEnd = (thread: number): void => {
    ending.add(thread);
    if (ending.size < threads.size) send({ thread, ended: true });
    else for (const each of ending) endThread(each);
  };
  const onExit = (): void => {
    if (!isLeft) onEnd(false);
    isLeft = true;
    for (const thread of threads.keys()) endThread(thread);
  };
  child.once("error", onExit);
  child.once("exit", onExit);
  child.on("message", (message) => {
    const answer = message as FromThread;
    if ("ended" in answer) return endThread(answer.thread);
    threads.get(answer.thread)?.emit("message", ownNumbers(answer.result));
  });
  return {
    startThread() {
      const thread = nextThread++;
      const events = new EventEmitter();
      threads.set(thread, events);
      send({ thread, setup });
      return {
        postMessage: (job) => send({ thread, job }),
        on: (event, listener) => events.on(event, listener),
        once: (event, listener) => events.once(event, listener),
        terminate: async () => {
          if (!threads.has(thread)) return;
          const ended = new Promise<void>((resolve) => events.once("exit", resolve));
          askToEnd(thread);
          await ended;
        },
      };
    },
  };
}

/** The parts of a message share its memory, and only the numbers are kept. */
function ownNumbers(result: ParserResult): ParserResult {
  return { ...result, numbers: result.numbers.slice() };
}

/** Whether this is the parser process. */
export function isParserProcess(): boolean {
  return process.argv[2] === processArgument && process.send !== undefined;
}

/** Be the parser process: start threads and hand on messages, until the process that started this one is gone. */
export function runParserProcess(): void {
  const threads = new Map<number, ParserThread>();
  const answer = (message: FromThread): void => void process.send?.(message, undefined, {}, () => undefined);
  const start = (thread: number, setup: ParserSetup): void => {
    const worker = startWorker(setup);
    threads.set(thread, worker);
    worker.on("message", (result: ParserResult) => answer({ thread, result }));
    worker.once("error", () => undefined); // it ends as well
    worker.once("exit", () => {
      threads.delete(thread);
      answer({ thread, ended: true });
    });
  };
  process.on("message", (message) => {
    const { thread, ...order } = message as ToThread;
    if ("setup" in order) start(thread, order.setup);
    else if ("job" in order) threads.get(thread)?.postMessage(order.job, []);
    else void threads.get(thread)?.terminate();
  });
  process.on("disconnect", () => process.exit());
}
