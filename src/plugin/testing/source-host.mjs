// Node 20 cannot run TypeScript. From source (tests), the program of a plugin's process is bundled once and
// kept until one of its modules changes; packages never hold this file.
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "../../..");
const folder = join(
  dirname(dirname(createRequire(import.meta.url).resolve("zod/package.json"))),
  ".cache/tenon-plugin-host",
);
// The bundle looks for its neighbors beside itself, as in the built package.
const bundle = join(folder, "plugin-host.js");

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
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const names = Object.keys(dependencies).filter((name) => name !== "zod");
  const external = (id) => names.some((name) => id === name || id.startsWith(`${name}/`));
  const files = [];
  mkdirSync(folder, { recursive: true });
  put("package.json", JSON.stringify({ type: "module" }));
  for (const [name, input] of [
    ["plugin-host", "src/runtime/plugins/plugin-host.ts"],
    ["plugin-kit", "src/runtime/plugins/plugin-kit.ts"],
  ]) {
    const made = await rolldown({ cwd: root, input: { [name]: input }, platform: "node", external });
    const { output } = await made.generate({ format: "esm", codeSplitting: false });
    await made.close();
    const [chunk] = output;
    files.push(...chunk.moduleIds.filter((id) => id.startsWith(root)));
    put(`${name}.js`, chunk.code);
  }
  const modules = [...new Set(files)].map((file) => ({ file, time: statSync(file).mtimeMs }));
  put("modules.json", JSON.stringify(modules));
}

function put(name, text) {
  const temporary = join(folder, `${name}.${process.pid}.${Math.random()}`);
  writeFileSync(temporary, text);
  renameSync(temporary, join(folder, name));
}
