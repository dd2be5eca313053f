// Counts the files and functions of Tenon that one call runs through.
//
//   node scripts/call-hops.mjs [--json] [--list]
//
// What counts: every function of `src/` that V8 saw running between the start of `session.call` and its answer,
// in a Tenon that has answered the same call before. Getters, callbacks and constructors (with their field
// initializers) count as functions; modules that are loaded, dependencies and Node.js itself do not. A file counts if
// one of its functions does.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The calls that are counted: the smallest one there is, and one that reads, checks and writes a file. */
const calls = [
  { name: "current_time", arguments: () => ({}) },
  {
    name: "edit_file",
    arguments: (round) => ({ path: "notes.txt", old_str: `round ${round}`, new_str: `round ${round + 1}` }),
  },
];

/** Build `src/` file by file, so that a function keeps its file. */
export async function buildByFile(entries) {
  mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
  const directory = realpathSync(mkdtempSync(join(root, "node_modules/.cache/call-hops-")));
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: entries,
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
  });
  await bundle.write({ dir: directory, format: "esm", preserveModules: true, preserveModulesRoot: "src" });
  await bundle.close();
  return directory;
}

/** The functions that a coverage report says were running, by file. */
export function runningFunctions(report, directory) {
  const base = pathToFileURL(`${directory}/`).href;
  const files = new Map();
  for (const { url, functions } of report) {
    if (!url.startsWith(base) || url.includes("/_virtual/")) continue;
    const names = functions
      // The first range of a module is the module itself.
      .filter(({ ranges: [whole] }) => whole.count > 0 && whole.startOffset > 0)
      .filter(({ functionName }) => functionName !== "<instance_members_initializer>")
      .map(({ functionName }) => functionName || "(anonymous)");
    if (names.length > 0) files.set(`src/${url.slice(base.length).replace(/\.js$/, ".ts")}`, names);
  }
  return files;
}

function countOf(files) {
  return [...files.values()].flat().length;
}

async function countCalls() {
  const directory = await buildByFile({ index: "src/index.ts" });
  const workspace = mkdtempSync(join(tmpdir(), "tenon-hops-"));
  writeFileSync(join(workspace, "notes.txt"), "round 0\n");
  const inspector = new Session();
  inspector.connect();
  try {
    const { createTenon } = await import(pathToFileURL(join(directory, "index.js")).href);
    const tenon = createTenon({
      workspace,
      config: { stateDir: `${workspace}-state`, mode: "auto" },
    });
    const session = tenon.createSession();
    await session.call({ name: "read_file", arguments: { path: "notes.txt" } });
    await inspector.post("Profiler.enable");
    await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    const counted = {};
    for (const { name, arguments: argumentsFor } of calls) {
      for (let round = 0; round < 5; round++) {
        const request = { name, arguments: argumentsFor(round) };
        await inspector.post("Profiler.takePreciseCoverage"); // counting begins again
        const answer = await session.call(request);
        const { result } = await inspector.post("Profiler.takePreciseCoverage");
        if (!answer.success) throw new Error(`${name} failed: ${answer.error.message}`);
        const running = runningFunctions(result, directory);
        // What happens to run in the background meanwhile does not belong to the call.
        if (counted[name] === undefined || countOf(running) < countOf(counted[name])) counted[name] = running;
      }
    }
    await tenon.close();
    return counted;
  } finally {
    inspector.disconnect();
    for (const path of [directory, workspace, `${workspace}-state`]) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

if (import.meta.filename === process.argv[1]) {
  const counted = await countCalls();
  const sizes = Object.entries(counted).map(([name, files]) => ({
    name,
    files: files.size,
    functions: countOf(files),
  }));
  if (process.argv.includes("--json")) console.log(JSON.stringify(sizes));
  else console.table(sizes);
  if (process.argv.includes("--list")) {
    for (const [name, files] of Object.entries(counted)) {
      console.log(`\n${name}`);
      for (const [file, names] of [...files].sort(([one], [other]) => (one < other ? -1 : 1)))
        console.log(`  ${file}: ${names.join(", ")}`);
    }
  }
}
