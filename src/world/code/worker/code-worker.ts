import { isMainThread, parentPort, type Worker, workerData } from "node:worker_threads";
import { startWorker } from "./start-worker.js";
import { runSymbolIndex } from "./symbol-index.js";
import type { SymbolIndexSetup, ParserSetup } from "./messages.js";
import { runParser } from "./parser.js";

/** Entry point of the threads of the code index. */
if (!isMainThread && parentPort !== null) begin(workerData as SymbolIndexSetup | ParserSetup);

function begin(setup: SymbolIndexSetup | ParserSetup): void {
  if (setup.role === "parser") return runParser(parentPort!, setup);
  const { rules, maxFileSize } = setup;
  runSymbolIndex(parentPort!, setup, (): Worker => startWorker({ role: "parser", rules, maxFileSize }));
}
