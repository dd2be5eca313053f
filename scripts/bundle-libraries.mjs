// Libraries that Tenon loads on first use, as one file each in dist/libraries: the package installs without them, and they load faster.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { rolldown } from "rolldown";

/** Loaded by `require`, because who needs them cannot wait. */
export const required = [
  "ajv",
  "ajv/dist/2019.js",
  "ajv/dist/2020.js",
  "ajv-formats",
  "chardet",
  "diff",
  "iconv-lite",
  "ipaddr.js",
  "lru-cache",
  "pino",
  "semver",
  "tokenx",
  "unbash",
  "yaml",
];

/** Finds its WebAssembly beside itself. */
const treeSitter = ["web-tree-sitter.js", "web-tree-sitter.wasm"];

/** Makes the sources load the bundled libraries: `#libraries` in package.json leads to dist/libraries. */
export const loadBundledLibraries = {
  name: "load-bundled-libraries",
  resolveId: (id) => (id.startsWith("#libraries/") ? { id, external: true } : undefined),
  transform(code, id) {
    if (!id.includes(`${sep}src${sep}`) || id.includes(`${sep}node_modules${sep}`)) return undefined;
    let changed = code.replace('import("web-tree-sitter")', 'import("#libraries/web-tree-sitter.js")');
    // What is imported becomes a chunk like any other.
    for (const name of required)
      changed = changed.replaceAll(
        new RegExp(`(?<=\\brequire|\\bcreateRequire\\(import\\.meta\\.url\\))\\("${name}"\\)`, "g"),
        `("#libraries/${name}.cjs")`,
      );
    // Lines stay where they are, and so does the source map.
    return changed === code ? undefined : { code: changed, map: null };
  },
};

/**
 * Imports modules that are not in the bundle by a file of their own: code that V8 has kept compiled (src/cli/compiled-code.ts)
 * cannot import them without a warning of Node.js.
 */
export const importBesideBundle = {
  name: "import-beside-bundle",
  transform(code, id) {
    if (!id.includes(`${sep}src${sep}`) || id.includes(`${sep}node_modules${sep}`)) return undefined;
    const native = /(?<=\b(?:await|return) |\[)import\((?=[a-z/]|"(?:jiti|node:|#|@lydell))/g;
    const changed = code.replaceAll(native, "importBeside(");
    if (changed === code) return undefined;
    const load = 'import { importModule as importBeside } from "#libraries/import-module.cjs"; ';
    return { code: load + changed, map: null };
  },
};

/** What the above loads: the one file that no bundler touches. */
const importModule = "exports.importModule = (name) => import(name);\n";

/** Entries that give what `require` of a library gives; a library as an entry would lose what it hangs on `module.exports`. */
const requireLibraries = {
  name: "require-libraries",
  resolveId: (id) => (id.startsWith("library:") ? `\0${id}` : undefined),
  load: (id) =>
    id.startsWith("\0library:") ? `module.exports = require("${id.slice("\0library:".length)}");` : undefined,
};

/**
 * @param {string} root The folder of the package.
 * @param {import("rolldown").OutputOptions} output How other files are written.
 * @returns {Promise<string[]>} The modules that were bundled.
 */
export async function bundleLibraries(root, output) {
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: Object.fromEntries(required.map((name) => [name, `library:${name}`])),
    plugins: [requireLibraries],
  });
  const written = await bundle.write({
    ...output,
    dir: "dist/libraries",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
  });
  await bundle.close();
  const from = join(root, "node_modules/web-tree-sitter");
  for (const name of treeSitter) copyFileSync(join(from, name), join(root, "dist/libraries", name));
  writeFileSync(join(root, "dist/libraries/import-module.cjs"), importModule);
  return [...modulesOf(written), ...treeSitter.map((name) => join(from, name))];
}

/** @param {import("rolldown").RolldownOutput} written */
export function modulesOf(written) {
  return written.output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
}

/**
 * Write the licenses of all packages that were bundled, as most of them ask for.
 * @param {string} file
 * @param {readonly string[]} modules
 */
export function writeLicenses(file, modules) {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const found = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license", "License"]
      .map((candidate) => join(folder, candidate))
      .find((candidate) => existsSync(candidate));
    const text = found === undefined ? "" : `\n\n${readFileSync(found, "utf8").trim()}`;
    return `${name} ${version} (${license})${text}\n`;
  });
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, texts.join(`\n${"-".repeat(80)}\n\n`));
}

/** The folder of the package that a module is from; none for Tenon's own. */
function packageFolder(module) {
  return /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(module)?.[1];
}
