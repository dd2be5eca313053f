import { isMainThread, parentPort, workerData } from "node:worker_threads";
import type { SymbolIndexSetup, ParserSetup } from "./messages.js";
import { createParserStarter, isParserProcess, runParserProcess } from "./parser-process.js";
import { runParser } from "./parser.js";
import { runSymbolIndex } from "./symbol-index.js";

/** Entry point of the threads of the code index, and of the process that parses for it. */
if (!isMainThread && parentPort !== null) begin(workerData as SymbolIndexSetup | ParserSetup);
else if (isMainThread && isParserProcess()) runParserProcess();

function begin(setup: SymbolIndexSetup | ParserSetup): void {
  if (setup.role === "parser") return runParser(parentPort!, setup);
  const { rules, maxFileSize } = setup;
  runSymbolIndex(parentPort!, setup, createParserStarter({ role: "parser", rules, maxFileSize }));
}
