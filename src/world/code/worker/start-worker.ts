import { Worker, type WorkerOptions } from "node:worker_threads";
import type { LibrarianSetup, ParserSetup } from "./messages.js";

/** Start a thread of the code index. It does not keep the process alive. */
export function startWorker(setup: LibrarianSetup | ParserSetup): Worker {
  const options: WorkerOptions = {
    workerData: setup,
    // The host's flags (a loader, an inspector) are not meant for it.
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: setup.role === "parser" ? 512 : 1024 },
  };
  const here = import.meta.url;
  const worker = new Worker(here.endsWith(".ts") ? fromSource(here) : built(here), options);
  worker.unref();
  return worker;
}

/** The thread's file lies beside the bundle's entries, whichever chunk this is in. */
function built(here: string): URL {
  return new URL(/\/chunks\/[^/]*$/.test(here) ? "../code-worker.js" : "./code-worker.js", here);
}

/** In tests: a small script that loads TypeScript. */
function fromSource(here: string): URL {
  return new URL("../testing/source-worker.mjs", here);
}
