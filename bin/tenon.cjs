#!/usr/bin/env node
"use strict";
// CommonJS, and `--version` answered before anything else is loaded: it must cost no more than starting Node.
if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-V")) {
  process.stdout.write(`${require("../package.json").version}\n`);
} else {
  require("node:module").enableCompileCache?.();
  void import("../dist/cli.js").then(({ main }) => main(process));
}
