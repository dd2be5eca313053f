// Writes the entries of the package: ES modules over the CommonJS chunks, which load in one step and on demand.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const load =
  'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n';

/**
 * dist/index.js: names of `src/at-import.ts` are there at once; other functions load the library when they are first called, and
 * each built-in tool when it is first read.
 * @param {string} dist
 */
export function writeLibraryEntry(dist) {
  const require = createRequire(`${dist}/`);
  const early = Object.keys(require("./at-import.cjs"));
  const library = require("./library.cjs");
  const late = Object.keys(library).filter((name) => !early.includes(name));
  const lines = late.map((name) => lateExport(name, library[name]));
  writeFileSync(
    `${dist}/index.js`,
    `${load}export const { ${early.join(", ")} } = require("./at-import.cjs");\n${lines.join("\n")}\n`,
  );
}

/** @param {string} dist */
export function writeTestingEntry(dist) {
  const names = Object.keys(createRequire(`${dist}/`)("./testing.cjs"));
  writeFileSync(
    `${dist}/testing.js`,
    `${load}export const { ${names.join(", ")} } = require("./testing.cjs");\n`,
  );
}

function lateExport(name, value) {
  const library = 'require("./library.cjs")';
  if (typeof value === "function" && !/^class\b/.test(Function.prototype.toString.call(value)))
    return `export function ${name}(...args) { return ${library}.${name}(...args); }`;
  if (name !== "builtInTools")
    throw new Error(`"${name}" is not a function: export it from src/at-import.ts too.`);
  const tools = Object.keys(value).map((tool) => `get ${tool}() { return ${library}.${name}.${tool}; }`);
  return `export const ${name} = Object.freeze({ ${tools.join(", ")} });`;
}
