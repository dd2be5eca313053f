// Writes src/text/language-table.ts from linguist-languages: which language a file name, an ending or an
// interpreter stands for. Run it after an update of that package: node scripts/make-language-table.mjs
import { writeFileSync } from "node:fs";
import * as linguist from "linguist-languages";

/** Languages that are meant where several claim an ending; the first that claims it has it. */
const common = [
  "TypeScript TSX JavaScript Python Java C C++ C# Go Rust Ruby PHP Swift Kotlin Scala Shell PowerShell Perl R Lua",
  "Dart Haskell Elixir Erlang Clojure OCaml F# Julia MATLAB SQL HTML CSS SCSS Less Vue Svelte JSON YAML TOML XML INI",
  "Markdown Text Dockerfile Makefile CMake GraphQL Zig Nix Assembly Verilog VHDL GLSL Groovy Objective-C Fortran",
  "Prolog Lisp Scheme TeX Batchfile Diff CSV Astro D Pascal Tcl Crystal Nim Solidity Terraform HCL",
]
  .join(" ")
  .split(" ");

/** Names that people and other tools use. */
const ids = {
  "C++": "cpp",
  "C#": "csharp",
  "F#": "fsharp",
  "Objective-C++": "objective-cpp",
  Text: "plaintext",
};

/** Endings that linguist gives to others, or to none, against what people mean by them. */
const own = {
  extensions: {
    cls: "tex",
    d: "d",
    frag: "glsl",
    inc: "php",
    mdx: "mdx",
    env: "dotenv",
    h: "c",
    jsx: "javascript",
    m: "objective-c",
  },
  interpreters: { node: "javascript", nodejs: "javascript" },
  names: { ".env": "dotenv", ".gitignore": "gitignore", ".dockerignore": "gitignore" },
};

const rank = (name) => (common.includes(name) ? common.indexOf(name) : common.length);
const languages = Object.values(linguist)
  .filter((language) => typeof language?.name === "string")
  .sort((one, other) => rank(one.name) - rank(other.name) || (one.name < other.name ? -1 : 1));

const tables = { extensions: new Map(), names: new Map(), interpreters: new Map() };
for (const language of languages) {
  const id = ids[language.name] ?? language.name.toLowerCase().replaceAll(/[^a-z0-9.+#*'-]+/g, "-");
  const add = (table, keys = []) => {
    for (const key of keys) if (!/[ =]/.test(key) && !table.has(key)) table.set(key, id);
  };
  add(
    tables.extensions,
    language.extensions?.map((extension) => extension.slice(1).toLowerCase()),
  );
  add(tables.names, language.filenames);
  add(tables.interpreters, language.interpreters);
}
for (const [table, entries] of Object.entries(own))
  for (const [key, id] of Object.entries(entries)) tables[table].set(key, id);

const byLanguage = (table) => {
  const groups = new Map();
  for (const [key, id] of table) groups.set(id, [...(groups.get(id) ?? []), key]);
  return [...groups].map(([id, keys]) => `${id}=${keys.join(" ")}`);
};

/** Several languages on a line, so that the table is no longer than a page. */
const lines = (entries) => {
  const packed = [""];
  for (const entry of entries) {
    const last = packed.at(-1);
    if (last.length + entry.length > 900) packed.push(entry);
    else packed[packed.length - 1] = last === "" ? entry : `${last};${entry}`;
  }
  return packed.map((line) => `  ${JSON.stringify(line)},`).join("\n");
};

writeFileSync(
  new URL("../src/text/language-table.ts", import.meta.url),
  `// Made by scripts/make-language-table.mjs from linguist-languages (MIT). Do not edit.

/** Endings without their dot, in lower case: \`language=ending ending;…\`. */
export const languageExtensions: readonly string[] = [
${lines(byLanguage(tables.extensions))}
];

/** Whole file names. */
export const languageFileNames: readonly string[] = [
${lines(byLanguage(tables.names))}
];

/** Programs that a script's first line can name. */
export const languageInterpreters: readonly string[] = [
${lines(byLanguage(tables.interpreters))}
];
`,
);
