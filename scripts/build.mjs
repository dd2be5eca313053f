// Builds dist/: the library and the command line as one set of chunks, the console and the types.
// With --program, what `tenon` needs to run and nothing else, in place: for `npm run dev`.
// With --readable, without minification: a profile then names lines (`npm run bench -- --profile`).
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { breakLinesIn } from "./break-lines.mjs";
import { buildConsole } from "./build-console.mjs";
import {
  bundleLibraries,
  importBesideBundle,
  loadBundledLibraries,
  modulesOf,
  writeLicenses,
} from "./bundle-libraries.mjs";
import { readConfigShape } from "./config-shape.mjs";
import { lazySchemas } from "./lazy-schemas.mjs";
import { bundleTypes } from "./bundle-types.mjs";
import { chunkGroups } from "./chunk-groups.mjs";
import { lazyChunks, writeLateChunks } from "./lazy-chunks.mjs";
import { packChunksIn } from "./pack-chunks.mjs";
import { writeLibraryEntry, writeTestingEntry } from "./library-entry.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
// Zod is bundled: what the built-in tools use of it is one file instead of ninety, which halves the import time.
// Schemas of a user's own Zod work all the same, they are recognized by their shape.
// Every other library is bundled as well, except those with programs for each machine, those that are shared with the program around
// Tenon, and those that load files of their own: one file loads in half the time, and an installation is a third smaller.
const dependencies = Object.keys({
  ...manifest.dependencies,
  ...manifest.optionalDependencies,
  ...manifest.peerDependencies,
}).filter((name) => name !== "zod");

const programOnly = process.argv.includes("--program");
if (!programOnly) rmSync(`${root}/dist`, { recursive: true, force: true });

/** Commander loads it at its top, for commands that are programs of their own; Tenon has none. */
const lateChildProcess = {
  name: "late-child-process",
  transform(code, id) {
    if (!/[\\/]commander[\\/]lib[\\/]command\.js$/.test(id)) return undefined;
    const late = "{ spawn: (...args) => require('node:child_process').spawn(...args) }";
    return { code: code.replace("require('node:child_process')", () => late), map: null };
  },
};

const common = {
  cwd: root,
  platform: "node",
  external: (id) => dependencies.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [loadBundledLibraries, lazySchemas(root), lateChildProcess],
  transform: {
    define: {
      __TENON_VERSION__: JSON.stringify(manifest.version),
      __TENON_CONFIG_SHAPE__: await readConfigShape(root),
    },
  },
};
const output = {
  dir: "dist",
  format: "esm",
  sourcemap: true,
  // Less text is read faster; names of functions and classes stay, for stack traces.
  minify: !process.argv.includes("--readable") && {
    compress: { keepNames: { function: true, class: true } },
    mangle: { keepNames: true },
    codegen: { removeWhitespace: true },
  },
};

// CommonJS: it loads without waiting, so a part can be loaded when it is first used, and V8 can keep what it compiled.
const input = {
  "at-import": "src/at-import.ts",
  library: "src/index.ts",
  testing: "src/testing.ts",
  cli: "src/cli/main.ts",
};
const imports = new Map();
/** @param {(id: string) => string | null} [groupOf] The chunk that a module goes into. */
async function writeChunks(groupOf) {
  const plugins = [...common.plugins, importBesideBundle, readImports(imports), lazyChunks];
  const bundle = await rolldown({
    ...common,
    input,
    plugins,
    preserveEntrySignatures: "allow-extension",
    // What another module imports at its top is loaded on first use too.
    checks: { ineffectiveDynamicImport: false },
  });
  const written = await bundle.write({
    ...output,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunks/[name]-[hash].cjs",
    ...(groupOf !== undefined && {
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: groupOf, debugName: "chunk-groups" }],
      },
    }),
  });
  await bundle.close();
  return written;
}
// `npm run dev` builds at each change and starts a server, which loads all chunks anyway.
const isQuick = programOnly && !process.argv.includes("--readable");
const entries = Object.values(input);
const written = await writeChunks(
  isQuick ? undefined : await chunkGroups({ root, entries, write: writeChunks, imports }),
);
writeLateChunks(`${root}/dist`, written);
const libraries = await bundleLibraries(root, output);
writeLicenses(`${root}/dist/licenses.txt`, [...modulesOf(written), ...libraries]);
removeOldChunks(new Set(written.output.map(({ fileName }) => fileName)));
writeLibraryEntry(`${root}/dist`);
writeTestingEntry(`${root}/dist`);

packChunksIn(`${root}/dist/chunks`, /^(?:core|start|command-line|commander|zod)-/);

// A thread of its own that needs a tenth of the library: sharing chunks would load all of it once a thread.
const worker = await rolldown({
  ...common,
  input: { "code-worker": "src/world/code/worker/code-worker.ts" },
});
await worker.write({ ...output, codeSplitting: false });
await worker.close();

if (!programOnly) await buildConsole(root);

// All that `tenon mcp` loads before it answers a host for the first time, and what loads the rest of other commands.
for (const [name, file] of [
  ["mcp-start", "src/cli/mcp-quick-start.ts"],
  ["compiled-code", "src/cli/compiled-code.ts"],
]) {
  const quick = await rolldown({
    ...common,
    input: { [name]: file },
    plugins: [...common.plugins, lazyChunks],
  });
  await quick.write({
    ...output,
    format: "cjs",
    entryFileNames: "[name].cjs",
    codeSplitting: false,
    sourcemap: false,
  });
  await quick.close();
}
await import("./mcp-catalogue.mjs");

// The program of a plugin's process, and what plugins import of Tenon: small, because every plugin starts them.
for (const [name, file] of [
  ["plugin-host", "src/runtime/plugins/plugin-host.ts"],
  ["plugin-kit", "src/runtime/plugins/plugin-kit.ts"],
]) {
  const host = await rolldown({ ...common, input: { [name]: file } });
  await host.write({ ...output, codeSplitting: false });
  await host.close();
}

if (!programOnly) {
  for (const dir of ["dist", "dist/chunks", "dist/libraries"]) breakLinesIn(`${root}/${dir}`);
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    cwd: root,
    stdio: "inherit",
  });
  await bundleTypes(root, ["index", "testing"]);
}

/** @param {ReadonlySet<string>} current Files of this build, by their path in dist. */
function removeOldChunks(current) {
  for (const name of readdirSync(`${root}/dist/chunks`)) {
    if (!current.has(`chunks/${name.replace(/\.map$/, "")}`)) rmSync(`${root}/dist/chunks/${name}`);
  }
}

/** Notes which modules each module imports at its top. */
function readImports(imports) {
  return {
    name: "read-imports",
    buildEnd() {
      for (const id of this.getModuleIds()) imports.set(id, this.getModuleInfo(id)?.importedIds ?? []);
    },
  };
}
