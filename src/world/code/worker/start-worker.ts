import { Worker, type WorkerOptions } from "node:worker_threads";
import type { SymbolIndexSetup, ParserSetup } from "./messages.js";

/** Start a thread of the code index. It does not keep the process alive. */
export function startWorker(setup: SymbolIndexSetup | ParserSetup): Worker {
  const options: WorkerOptions = {
    workerData: setup,
    // Do not inherit flags of the host process, such as a loader or an inspector.
    execArgv: [],
    env: {},
    // Results leave a thread soon after they are made: a young generation of the usual 48 MB would only be filled.
    resourceLimits: {
      maxOldGenerationSizeMb: setup.role === "parser" ? 512 : 1024,
      maxYoungGenerationSizeMb: 6,
    },
  };
  const worker = new Worker(workerFile(), options);
  worker.unref();
  return worker;
}

/** The file is next to the entry points of the bundle, whichever chunk this code is in; in tests, a small script that loads TypeScript. */
export function workerFile(): URL {
  const here = import.meta.url;
  if (here.endsWith(".ts")) return new URL("../testing/source-worker.mjs", here);
  return new URL(/\/chunks\/[^/]*$/.test(here) ? "../code-worker.js" : "./code-worker.js", here);
}
