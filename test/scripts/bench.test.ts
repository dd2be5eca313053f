import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const bench = resolve(import.meta.dirname, "../../bench");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tenon-bench-runner-"));
  mkdirSync(join(folder, "suites"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("npm run bench", () => {
  it("names a missing peer with the command that installs it, and goes on with the next suite", async () => {
    suite(
      "a-peer",
      'export const needs = [{ peer: "mcp-proxy" }]; export const run = () => console.log("ran a");',
    );
    suite("b-program", 'export const needs = [{ program: "no-such-program" }]; export const run = () => {};');
    suite("c-fine", 'export const run = () => console.log("ran c");');
    const { failed, output } = await runAll();
    expect(failed).toEqual(["a-peer", "b-program"]);
    expect(output).toContain("mcp-proxy is not installed in test/peers. Run: npm run setup");
    expect(output).toContain("no-such-program is missing. Run: npm run setup");
    expect(output).toContain("ran c");
    expect(output).not.toContain("ran a");
  });

  it("finds a peer that is installed", async () => {
    mkdirSync(join(folder, "test/peers/node_modules/mcp-proxy"), { recursive: true });
    writeFileSync(join(folder, "test/peers/node_modules/mcp-proxy/package.json"), "{}");
    suite(
      "peer",
      'export const needs = [{ peer: "mcp-proxy" }, { program: "sh" }]; export const run = () => {};',
    );
    expect((await runAll()).failed).toEqual([]);
  });

  it("says what to run where a package or dist is missing", async () => {
    suite("dist", 'import "../dist/index.js"; export const run = () => {};');
    suite("package", 'import "no-such-package"; export const run = () => {};');
    const { failed, output } = await runAll();
    expect(failed).toEqual(["dist", "package"]);
    expect(output).toMatch(/npm run build[^]*npm install/);
  });

  it("stops a suite that hangs, with what it started", async () => {
    const child = 'spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"])';
    suite(
      "hangs",
      `import { spawn } from "node:child_process";
       import { writeFileSync } from "node:fs";
       export function run() {
         writeFileSync(${JSON.stringify(join(folder, "pid"))}, String(${child}.pid));
         return new Promise(() => setInterval(() => {}, 1000));
       }`,
    );
    // A busy machine may need more time to come as far as hanging.
    for (let seconds = 2; !existsSync(join(folder, "pid")); seconds *= 3) {
      const { failed, output } = await runAll(seconds * 1000);
      expect(failed).toEqual(["hangs"]);
      expect(output).toContain(`hangs was stopped after ${seconds} s`);
    }
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("reports a suite that crashes", async () => {
    suite("crash", 'export function run() { throw new Error("no such luck"); }');
    const { failed, output } = await runAll();
    expect(failed).toEqual(["crash"]);
    expect(output).toContain("no such luck");
  });
});

describe("a pipe to an MCP server", () => {
  it("fails where the server ends instead of answering", async () => {
    const { openPipe } = (await import(join(bench, "mcp-pipe.mjs"))) as {
      openPipe: (command: string, args: readonly string[]) => Promise<unknown>;
    };
    await expect(openPipe(process.execPath, ["-e", "process.exit(7)"])).rejects.toThrow(/ended with 7/);
    await expect(openPipe(join(folder, "missing"), [])).rejects.toThrow(/ENOENT/);
  });
});

function suite(name: string, source: string): void {
  writeFileSync(join(folder, "suites", `${name}.mjs`), source);
}

/** Run the suites in a process of their own, to see all that is printed. */
async function runAll(timeLimitMs = 60_000): Promise<{ failed: string[]; output: string }> {
  const settings = { folder: join(folder, "suites"), root: folder, timeLimitMs };
  const program = `import { listSuites, runSuites } from ${JSON.stringify(join(bench, "run-suites.mjs"))};
    import { writeFileSync } from "node:fs";
    const settings = ${JSON.stringify(settings)};
    const failed = await runSuites({ ...settings, names: listSuites(settings.folder), log: (line) => console.log(line) });
    writeFileSync(${JSON.stringify(join(folder, "failed"))}, JSON.stringify(failed));`;
  writeFileSync(join(folder, "run.mjs"), program);
  const child = spawn(process.execPath, [join(folder, "run.mjs")], { stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { failed: JSON.parse(readFileSync(join(folder, "failed"), "utf8")) as string[], output: out + err };
}

/** Not merely waiting for its parent to notice that it ended. */
function isRunning(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) Z /.test(readFileSync(file, "utf8"));
}
