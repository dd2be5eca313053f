import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const src = resolve(import.meta.dirname, "../src");

/** A folder imports only folders of a lower rank, never another folder of the same rank. */
const ranks: Readonly<Record<string, number>> = {
  contract: 0,
  schema: 1,
  glob: 0,
  command: 1,
  text: 1,
  wire: 1,
  syntax: 1,
  llm: 1.5, // definitions of tools in a provider's format: the registry writes them
  registry: 2,
  policy: 2,
  scheduler: 2,
  record: 2,
  world: 2,
  store: 2,
  tools: 2,
  compose: 2,
  mcp: 2,
  plugin: 2,
  call: 3,
  config: 4,
  runtime: 5,
  agent: 6,
  server: 6,
  fleet: 6.5, // fronts serve by server/, workers answer for its routes
  "test-kit": 6,
  cli: 7,
};

/** The same rule for the subjects inside `runtime/`: gateway, plugins and replay know nothing of each other. */
const runtimeRanks: Readonly<Record<string, number>> = {
  log: 0,
  state: 0,
  catalogue: 0,
  audit: 1,
  secrets: 2,
  approvals: 2,
  journal: 2,
  tasks: 2,
  world: 3,
  calls: 4,
  sessions: 5,
  gateway: 6,
  "mcp-host": 6,
  plugins: 6,
  replay: 6,
};

/** What a subject of `runtime/` may import from the files at its top, and only as types. */
const runtimeTypes: ReadonlySet<string> = new Set(["tenon.js", "tenon-options.js"]);

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => join(src, name));

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

describe("the architecture", () => {
  it("ranks every folder", () => {
    const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((folder) => folder.name).filter((name) => ranks[name] === undefined)).toEqual([]);
  });

  it("imports only downwards", () => {
    const wrong = imports().filter(({ from, to }) => {
      const [own, other] = [folderOf(from), folderOf(to)];
      if (own === other || own === undefined || other === undefined) return false;
      return rank(other) >= rank(own);
    });
    expect(wrong.map(({ from, to }) => `${relative(src, from)} -> ${relative(src, to)}`)).toEqual([]);
  });

  it("ranks every subject of runtime/ and keeps its top small", () => {
    const entries = readdirSync(join(src, "runtime"), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(folders.toSorted()).toEqual(Object.keys(runtimeRanks).toSorted());
    expect(entries.filter((entry) => entry.isFile()).length).toBeLessThanOrEqual(12);
  });

  it("imports only downwards between the subjects of runtime/", () => {
    const wrong = imports().filter(({ from, to, isType }) => {
      const [own, other] = [subjectOf(from), subjectOf(to)];
      if (own === undefined || own === other || folderOf(to) !== "runtime") return false;
      if (other === undefined) return !(isType && runtimeTypes.has(relative(join(src, "runtime"), to)));
      return (runtimeRanks[other] ?? Number.NaN) >= (runtimeRanks[own] ?? Number.NaN);
    });
    expect(wrong.map(({ from, to }) => `${relative(src, from)} -> ${relative(src, to)}`)).toEqual([]);
    expect(imports().some(({ from }) => subjectOf(from) === "replay")).toBe(true);
  });

  it("sees at least the imports that are known to exist", () => {
    const edges = imports().map(({ from, to }) => `${folderOf(from)}->${folderOf(to)}`);
    expect(edges).toContain("call->contract");
    expect(edges).toContain("runtime->call");
  });

  it("lets no tool reach the disk, a process, the network or the environment", () => {
    const reaching = files.filter((file) => {
      if (!relative(src, file).startsWith("tools/") || isTest(file)) return false;
      const text = readFileSync(file, "utf8");
      return /["']node:(fs|fs\/promises|child_process|http|https|http2|net|tls|dgram|worker_threads)["']|process\.(env|cwd)/.test(
        text,
      );
    });
    expect(reaching.map((file) => relative(src, file))).toEqual([]);
  });

  it("reads the environment of the process only where options are made", () => {
    const reading = files.filter((file) => {
      const folder = folderOf(file);
      if (isTest(file) || folder === undefined || rank(folder) >= 4) return false;
      return /process\.env/.test(readFileSync(file, "utf8"));
    });
    expect(reading.map((file) => relative(src, file))).toEqual([]);
  });

  it("lets the console take types of the API and the visible form of text, nothing else", () => {
    const console = resolve(import.meta.dirname, "../console/src");
    const taken = readdirSync(console, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name))
      .flatMap((name) => {
        const from = join(console, name);
        const found = readFileSync(from, "utf8").matchAll(
          /(import|export)\s+(type\s)?[^;]*?["'](\.[^"']+)["']/g,
        );
        return [...found].map(([, , type, to = ""]) => ({
          type,
          to: relative(src, resolve(dirname(from), to)),
        }));
      })
      .filter(({ to }) => !to.startsWith("../"));
    const wrong = taken.filter(
      ({ type, to }) => !(sharedWithConsole.has(to) || (to === "server/api.js" && type)),
    );
    expect(wrong).toEqual([]);
    expect(taken.map(({ to }) => to)).toContain("server/api.js");
  });

  it("keeps what the console shares free of imports from elsewhere", () => {
    const wrong = imports().filter(
      ({ from, to }) =>
        sharedWithConsole.has(relative(src, from).replace(/\.ts$/, ".js")) &&
        !sharedWithConsole.has(relative(src, to)),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps files small", () => {
    const long = files.filter((file) => !isTest(file) && readFileSync(file, "utf8").split("\n").length > 301);
    expect(long.map((file) => relative(src, file)).filter((file) => !tables.has(file))).toEqual([]);
  });

  it("exports by name only", () => {
    const star = files.filter((file) => /^export \*/m.test(readFileSync(file, "utf8")));
    expect(star.map((file) => relative(src, file))).toEqual([]);
  });
});

/** Pure modules that run in the browser as well. */
const sharedWithConsole = new Set(["text/visible-text.js", "text/visible-value.js"]);

/** Plain tables of data, long by nature. */
const tables = new Set(["contract/error-codes.ts", "contract/built-in-types.ts", "index.ts"]);

function imports(): Import[] {
  return files.flatMap((from) => {
    // Tests may reach across: they put real parts together.
    if (isTest(from)) return [];
    const text = readFileSync(from, "utf8");
    const found = text.matchAll(/(import type [^;]*?)?(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g);
    return [...found].map(([, type, specifier = ""]) => ({
      from,
      to: resolve(dirname(from), specifier),
      isType: type !== undefined,
    }));
  });
}

function folderOf(file: string): string | undefined {
  const [folder, rest] = relative(src, file).split("/");
  return rest === undefined ? undefined : folder;
}

/** The folder inside `runtime/`. */
function subjectOf(file: string): string | undefined {
  const [folder, subject, rest] = relative(src, file).split("/");
  return folder === "runtime" && rest !== undefined ? subject : undefined;
}

function rank(folder: string): number {
  return ranks[folder] ?? Number.NaN;
}

function isTest(file: string): boolean {
  return file.endsWith(".test.ts") || file.includes("/testing/");
}
