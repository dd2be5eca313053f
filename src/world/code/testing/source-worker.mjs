// Threads of Node 20 cannot load TypeScript. From source (tests), the thread's code is bundled once and kept
// until one of its modules changes; packages never hold this file.
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "../../../..");
const folder = join(
  dirname(dirname(createRequire(import.meta.url).resolve("zod/package.json"))),
  ".cache/tenon",
);
const bundle = join(folder, "code-worker.js");

if (!isFresh()) await build();
await import(pathToFileURL(bundle).href);

function isFresh() {
  try {
    const modules = JSON.parse(readFileSync(join(folder, "modules.json"), "utf8"));
    return modules.every(({ file, time }) => statSync(file).mtimeMs === time);
  } catch {
    return false;
  }
}

async function build() {
  const { rolldown } = await import("rolldown");
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const names = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name !== "zod");
  const made = await rolldown({
    cwd: root,
    input: { "code-worker": "src/world/code/worker/code-worker.ts" },
    platform: "node",
    external: (id) => names.some((name) => id === name || id.startsWith(`${name}/`)),
  });
  const { output } = await made.generate({ format: "esm", codeSplitting: false });
  await made.close();
  const [chunk] = output;
  const files = chunk.moduleIds.filter((id) => id.startsWith(root));
  mkdirSync(folder, { recursive: true });
  put("package.json", JSON.stringify({ type: "module" }));
  put("code-worker.js", chunk.code);
  put("modules.json", JSON.stringify(files.map((file) => ({ file, time: statSync(file).mtimeMs }))));
}

function put(name, text) {
  const temporary = join(folder, `${name}.${process.pid}.${Math.random()}`);
  writeFileSync(temporary, text);
  renameSync(temporary, join(folder, name));
}
