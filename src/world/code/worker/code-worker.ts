import { isMainThread, parentPort, type Worker, workerData } from "node:worker_threads";
import { startWorker } from "./start-worker.js";
import { runLibrarian } from "./librarian.js";
import type { LibrarianSetup, ParserSetup } from "./messages.js";
import { runParser } from "./parser.js";

/** Where the threads of the code index begin. */
if (!isMainThread && parentPort !== null) begin(workerData as LibrarianSetup | ParserSetup);

function begin(setup: LibrarianSetup | ParserSetup): void {
  if (setup.role === "parser") return runParser(parentPort!, setup);
  const { rules, maxFileSize } = setup;
  runLibrarian(parentPort!, setup, (): Worker => startWorker({ role: "parser", rules, maxFileSize }));
}
