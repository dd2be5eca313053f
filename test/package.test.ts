import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadBundledLibraries, required } from "../scripts/bundle-libraries.mjs";
import { underLoad } from "./setup/under-load.js";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};

interface PackedFile {
  readonly path: string;
  readonly size: number;
}

let project: string;
let packed: { readonly filename: string; readonly files: readonly PackedFile[] };

/** The packed package in an empty project, installed by npm with the packages that it depends on: no others. */
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "tenon-package-"));
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", project, root];
  const { stdout } = await run("npm", args, { cwd: project, maxBuffer: 1e8 });
  const answer = JSON.parse(stdout) as readonly (typeof packed)[] | Record<string, typeof packed>;
  packed = Object.values(answer)[0] as typeof packed;
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "empty", private: true, type: "module" }),
  );
  await npm(["install", `./${packed.filename}`]);
  cpSync(join(root, "test/types"), project, { recursive: true });
}, underLoad(60_000));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** npm as the README uses it; scripts of other packages are not needed, and the cache is as good as the registry. */
function npm(args: readonly string[], { cwd = project, prefix = join(project, "global") } = {}) {
  const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  return run("npm", [...args, ...flags], { cwd, env: { ...process.env, npm_config_prefix: prefix } });
}

describe("tenon on the PATH", () => {
  it("comes with the packed package", async () => {
    await npm(["install", "--global", `./${packed.filename}`]);
    const { stdout } = await run(join(project, "global/bin/tenon"), ["--version"], { cwd: tmpdir() });
    expect(stdout.trim()).toBe(manifest.version);
  });

  it("comes with a link to the clone, and so does the library in a project", async () => {
    const prefix = join(project, "linked");
    const cwd = join(prefix, "own");
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "own", private: true, type: "module" }));
    await npm(["link"], { cwd: root, prefix });
    const { stdout } = await run(join(prefix, "bin/tenon"), ["--version"], { cwd });
    expect(stdout.trim()).toBe(manifest.version);
    await npm(["link", "tenon"], { cwd, prefix });
    const script = 'import { createTenon } from "tenon"; console.log(typeof createTenon)';
    const used = await run(process.execPath, ["--input-type=module", "-e", script], { cwd });
    expect(used.stdout.trim()).toBe("function");
  });
});

describe("the packed package", () => {
  it.each([
    ["5.9", "test/peers/node_modules/typescript/bin/tsc"],
    ["7", "node_modules/typescript/bin/tsc"],
  ])(
    "has types that TypeScript %s compiles strictly, and that infer what they promise",
    async (version, tsc) => {
      const compiler = join(root, tsc);
      expect((await run(process.execPath, [compiler, "--version"])).stdout).toContain(`Version ${version}.`);
      const { stdout } = await run(process.execPath, [compiler, "-p", "."], { cwd: project }).catch(
        (error: { stdout: string }) => error,
      );
      expect(stdout).toBe("");
    },
  );

  it("is imported by Node, loads each library that it brings, and searches code", async () => {
    writeFileSync(
      join(project, "use.mjs"),
      `import { createTenon, defineTool } from "tenon";
      import { createTestContext } from "tenon/testing";
      import { createRequire } from "node:module";
      const require = createRequire(import.meta.url);
      const input = { type: "object", properties: { at: { type: "string", format: "date" } }, required: ["at"] };
      const own = defineTool({ name: "own", version: "1.2.0", description: "d", category: "custom", input, execute: ({ at }) => at });
      const tenon = createTenon({ tools: [own], config: { stateDir: "state", mode: "auto" } });
      const results = [];
      const call = async (name, args) => {
        const answer = await tenon.call({ name, arguments: args });
        results.push(answer.success ? true : answer.error.message);
        return answer.result;
      };
      await call("own@^1.0", { at: "2026-01-31" });
      await call("write_file", { path: "a.ts", content: "export function findMe() {}\\n" });
      await call("write_file", { path: "u.txt", content: "é", encoding: "latin1" });
      await call("read_file", { path: "u.txt" });
      await call("apply_diff", { diff: "--- a/a.ts\\n+++ b/a.ts\\n@@ -1 +1 @@\\n-export function findMe() {}\\n+export function findMe() { }\\n" });
      await call("shell_exec", { command: "echo hi" });
      const { matches } = await call("code_query", { query: "findMe" });
      console.log(JSON.stringify({ results, found: matches[0], kit: typeof createTestContext, manifest: require("tenon/package.json").version }));
      await tenon.close();`,
    );
    const { stdout } = await run(process.execPath, ["use.mjs"], { cwd: project });
    expect(JSON.parse(stdout)).toMatchObject({
      results: [true, true, true, true, true, true, true],
      found: { file: "a.ts", kind: "function" },
      kit: "function",
      manifest: manifest.version,
    });
  });

  it("is a program for npx", async () => {
    const { stdout } = await run("npx", ["--no-install", "tenon", "--version"], { cwd: project });
    expect(stdout.trim()).toBe(manifest.version);
    const help = await run("npx", ["--no-install", "tenon", "tools", "read_file"], { cwd: project });
    expect(help.stdout).toContain("read_file");
  });

  it("searches without ripgrep and grammars, and says so", async () => {
    renameSync(join(project, "node_modules/@vscode"), join(project, "node_modules/.vscode"));
    const { stdout } = await run(
      process.execPath,
      ["node_modules/tenon/bin/tenon.cjs", "call", "code_query", "query=findMe", "--json"],
      { cwd: project, env: { ...process.env, HOME: project } },
    );
    const { result } = JSON.parse(stdout) as { result: { matches: { file: string }[]; notes: string[] } };
    expect(result.matches.map(({ file }) => file)).toContain("a.ts");
    expect(result.notes.join("\n")).toMatch(/Syntax trees are not available[\s\S]*ripgrep is missing/);
  });

  it("requires nothing that it does not bring", () => {
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !/\.(?:test|fixture)\.ts$|\/testing\//.test(file),
    );
    const brought = new Set([
      ...required,
      ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    ]);
    const calls = /(?:\brequire|\bown|createRequire\(import\.meta\.url\))(?:\.resolve)?\(\s*["`]([^"`$]+)/g;
    const loaded = sources.flatMap((file) =>
      [...readFileSync(join(root, "src", file), "utf8").matchAll(calls)].map(([, name = ""]) => name),
    );
    const packages = loaded.filter((name) => !/^(?:node:|\.)/.test(name));
    expect(packages.length).toBeGreaterThan(10);
    const missing = packages.filter(
      (name) => ![...brought].some((one) => name === one || name.startsWith(`${one}/`)),
    );
    expect(missing).toEqual([]);
  });

  it("replaces the name of a library only where it is loaded", () => {
    const code = 'bold("diff"); require("diff"); createRequire(import.meta.url)("pino");';
    const changed = loadBundledLibraries.transform(code, join(root, "src/a.ts"))?.code;
    expect(changed).toBe(
      'bold("diff"); require("#libraries/diff.cjs"); createRequire(import.meta.url)("#libraries/pino.cjs");',
    );
  });

  it("is small, and has no source maps", () => {
    expect(packed.files.filter(({ path }) => path.endsWith(".map"))).toEqual([]);
    expect(statSync(join(project, packed.filename)).size).toBeLessThan(2_500_000);
    for (const path of ["dist/licenses.txt", "config.schema.json", "README.md", "LICENSE"])
      expect(packed.files.map((file) => file.path)).toContain(path);
  });
});
