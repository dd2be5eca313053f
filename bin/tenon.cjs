#!/usr/bin/env node
"use strict";
const path = require("node:path");
// Nothing is left to do then: this leaves out taking the heap apart, which takes milliseconds.
process.once("beforeExit", () => process.exit());

// CommonJS, and `--version` answered before anything else is loaded: it must cost no more than starting Node.
if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-V")) {
  process.stdout.write(`${require("../package.json").version}\n`);
} else if (process.argv[2] !== "mcp" || !startQuickly()) {
  load();
}

// An MCP host waits for the first answer: it is given from a list, while the rest is loaded.
function startQuickly() {
  try {
    const { startQuickly: start } = require("../dist/mcp-start.cjs");
    return start(process, `${__dirname}/../dist`, load);
  } catch {
    return false; // the full start says what is wrong
  }
}

function load(mcp) {
  try {
    void loadCommandLine().main(process, mcp);
    if (isServer()) setTimeout(() => require("../dist/late-chunks.cjs").loadLate(), 500).unref();
  } catch (error) {
    explain(error);
  }
}

// What V8 compiled is kept: by Node.js from version 22 on, before that by Tenon. Servers start once, and change V8's flags.
function loadCommandLine() {
  const { enableCompileCache } = require("node:module");
  if (enableCompileCache !== undefined) enableCompileCache();
  else if (!isServer())
    return require("../dist/compiled-code.cjs").loadCompiled(
      process,
      path.join(__dirname, "../dist/cli.cjs"),
    );
  return require("../dist/cli.cjs");
}

function isServer() {
  return ["mcp", "serve", "worker"].includes(process.argv[2]);
}

// A clone that was not built is told so; any other error is shown as it is.
function explain(error) {
  if (require("node:fs").existsSync(`${__dirname}/../dist/cli.cjs`)) throw error;
  process.stderr.write("tenon: Tenon is not built yet. In its folder, run: npm install && npm run build\n");
  process.exitCode = 1;
}
