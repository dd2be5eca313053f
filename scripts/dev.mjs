// npm run dev [-- options of tenon serve]: rebuilds and restarts `tenon serve` when a source file changes, and serves
// the console with hot reload.
import { watch } from "node:fs";
import { fileURLToPath } from "node:url";
import { startConsole } from "./dev/console-server.mjs";
import { createServeProcess } from "./dev/serve-process.mjs";
import { buildProgram } from "./dev/build-program.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const serve = createServeProcess({ root, options: process.argv.slice(2) });
/** @type {Awaited<ReturnType<typeof startConsole>> | undefined} */
let page;
let building = false;
let changedWhileBuilding = false;
/** @type {NodeJS.Timeout | undefined} */
let settling;

const watcher = watch(`${root}/src`, { recursive: true }, (_, name) => {
  if (name === null || /\.test\.ts$|~$/.test(name) || !/\.(?:ts|json|wasm)$/.test(name)) return;
  // Editors and git write several files at once.
  clearTimeout(settling);
  settling = setTimeout(() => void update(), 100);
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void leave());
await update();

async function update() {
  if (building) {
    changedWhileBuilding = true;
    return;
  }
  building = true;
  do {
    changedWhileBuilding = false;
    await rebuild();
  } while (changedWhileBuilding);
  building = false;
}

async function rebuild() {
  const started = performance.now();
  if (!(await buildProgram(root))) {
    console.error("dev: the build failed; waiting for a change.");
    return;
  }
  const info = await serve.restart();
  if (info === undefined) {
    console.error("dev: tenon serve did not start; waiting for a change.");
    return;
  }
  if (page === undefined) page = await startConsole({ root, target: info.url });
  else page.follow(info.link);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`dev: tenon serve (pid ${info.pid}) is ready after ${seconds} s`);
  console.log(`  Console  ${page.linkTo(info.link)}  (opens once, within a minute)`);
  console.log(`  MCP      ${info.mcp}  with the header "Authorization: Bearer ${info.mcpToken}"`);
}

async function leave() {
  clearTimeout(settling);
  watcher.close();
  await Promise.all([serve.stop(), page?.close()]);
  process.exit(0);
}
