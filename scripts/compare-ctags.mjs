// node scripts/compare-ctags.mjs [folder …]: definitions by code_query's syntax trees against universal-ctags, on the same files.
// Needs a build. Prints, by language and kind, how many of ctags' definitions the trees have, and examples of those they have not.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { createJiti } from "jiti";

const jiti = createJiti(import.meta.url);
const { createSyntax } = await jiti.import("../src/syntax/create-syntax.ts");

/** Endings that both know, and what Tenon and ctags call the language. */
export const languages = {
  ".js": ["javascript", "JavaScript"],
  ".cjs": ["javascript", "JavaScript"],
  ".mjs": ["javascript", "JavaScript"],
  ".ts": ["typescript", "TypeScript"],
  ".py": ["python", "Python"],
  ".c": ["c", "C"],
  ".h": ["c", "C"],
  ".cc": ["cpp", "C++"],
  ".cpp": ["cpp", "C++"],
  ".go": ["go", "Go"],
  ".rs": ["rust", "Rust"],
  ".java": ["java", "Java"],
  ".rb": ["ruby", "Ruby"],
  ".php": ["php", "PHP"],
  ".cs": ["csharp", "C#"],
  ".sh": ["bash", "Sh"],
  ".css": ["css", "CSS"],
};

/** Kinds of ctags that name definitions; locals, parameters, labels and anonymous ones are left out. */
const kinds = new Set(
  "function method class interface struct enum enumerator type typedef alias constant const variable field property member module namespace macro trait impl func package generator getter setter singletonMethod accessor selector id def union record prototype".split(
    " ",
  ),
);

/** Compare files; returns agreement by language and kind, and what only ctags has. */
export async function compare(files) {
  const syntax = createSyntax();
  const byCtags = runCtags(files);
  const counts = new Map();
  const missing = [];
  for (const file of files) {
    const [language] = languages[extname(file)];
    const tags = byCtags.get(file) ?? [];
    if (tags.length === 0) continue;
    await syntax.load(language);
    const text = readFileSync(file, "utf8");
    const own = new Set((syntax.symbols(text, language) ?? []).map(({ name, line }) => `${name}:${line}`));
    const anywhere = new Set([...own].map((each) => each.slice(0, each.lastIndexOf(":"))));
    for (const { name, line, kind } of tags) {
      const count = counts.get(`${language} ${kind}`) ?? { all: 0, found: 0 };
      count.all += 1;
      // ctags may point at the line where a definition begins, the trees at its name.
      const near = [0, 1, 2, -1].some((off) => own.has(`${name}:${line + off}`)) || anywhere.has(name);
      if (near) count.found += 1;
      else
        missing.push({
          file,
          name,
          line,
          kind,
          language,
          text: text.split("\n")[line - 1]?.trim().slice(0, 100),
        });
      counts.set(`${language} ${kind}`, count);
    }
  }
  return { counts, missing };
}

/** Whether universal-ctags is here. */
export function hasCtags() {
  return /Universal Ctags/.test(spawnSync("ctags", ["--version"], { encoding: "utf8" }).stdout ?? "");
}

function runCtags(files) {
  const folder = mkdtempSync(join(tmpdir(), "tenon-ctags-"));
  try {
    const list = join(folder, "list");
    writeFileSync(list, files.join("\n"));
    const wanted = [...new Set(Object.values(languages).map(([, name]) => name))].join(",");
    const { stdout } = spawnSync(
      "ctags",
      [
        "--output-format=json",
        "--fields=+nK",
        "--kinds-all=*",
        `--languages=${wanted}`,
        "--map-C++=-.h",
        "--map-C=+.h",
        "-f",
        "-",
        "-L",
        list,
      ],
      { encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] },
    );
    const byFile = new Map();
    for (const row of stdout.split("\n")) {
      if (row === "") continue;
      const tag = JSON.parse(row);
      if (tag._type !== "tag" || !kinds.has(tag.kind) || isLocal(tag)) continue;
      byFile.set(tag.path, [...(byFile.get(tag.path) ?? []), tag]);
    }
    return byFile;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What ctags makes up, and what a function keeps to itself. */
function isLocal({ name, kind, scopeKind }) {
  if (/^__anon|^AnonymousFunction|^anonymous/.test(name)) return true;
  const inFunction = /function|method|generator|func|getter|setter/.test(scopeKind ?? "");
  return inFunction && /variable|constant|const|property|field|member/.test(kind);
}

/** Files of the known languages below a folder, of a size that people write. */
export function filesIn(folder, most = 2000) {
  const files = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const file = join(folder, name);
    if (languages[extname(name)] === undefined || /\.min\.|\.d\.ts$/.test(name)) continue;
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() && stat.size < 300_000 && files.length < most) files.push(file);
  }
  return files;
}

if (process.argv[1] === import.meta.filename) {
  const folders = process.argv.slice(2);
  const files = (
    folders.length > 0
      ? folders
      : ["node_modules/zod/src", "node_modules/commander", "node_modules/undici/lib"]
  ).flatMap((folder) => filesIn(folder));
  const { counts, missing } = await compare(files);
  console.log(
    `${files.length} files\n\n| language and kind | ctags | also here | % |\n| --- | ---: | ---: | ---: |`,
  );
  for (const [name, { all, found }] of [...counts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    console.log(`| ${name} | ${all} | ${found} | ${((found / all) * 100).toFixed(1)} |`);
  }
  console.log("\nOnly ctags has:");
  const step = Math.ceil(missing.length / 60);
  for (const [at, { file, line, kind, name, text }] of missing.entries()) {
    if (at % step === 0) console.log(`${file}:${line} ${kind} ${name} | ${text}`);
  }
}
