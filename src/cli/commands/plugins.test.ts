import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import type { Terminal } from "../command-line.js";
import { runCommandLine } from "../main.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-cli-plugins-")));
const workspace = join(root, "workspace");
mkdirSync(workspace);
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function tenon(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const said = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr"): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        said[name] += chunk.toString();
        done();
      },
    });
  const env = {
    PATH: process.env["PATH"],
    HOME: root,
    XDG_CONFIG_HOME: join(root, "config"),
    TENON_STATE_DIR: join(root, "state"),
  };
  const terminal: Terminal = {
    stdin: Readable.from([]),
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    env,
    cwd: workspace,
    exitCode: 0,
    interrupted: new AbortController().signal,
  };
  await runCommandLine(args, terminal);
  return { code: terminal.exitCode, ...said };
}

const config = join(root, "config/tenon/config.json");
const plugins = (): unknown => (JSON.parse(readFileSync(config, "utf8")) as { plugins: unknown }).plugins;
const plain = (name: string): string =>
  `export default { name: "${name}", version: "1.2.3", tools: [{ name: "${name}_one", description: "One.", category: "custom",
    annotations: { readOnly: true }, input: { type: "object" }, execute: () => "one of ${name}" }] };`;

describe("tenon plugins", () => {
  it("adds a file, a package and what create wrote; lists, calls and removes them", async () => {
    writeFileSync(join(workspace, "mine.mjs"), plain("mine"));
    mkdirSync(join(root, "packed"));
    writeFileSync(
      join(root, "packed/package.json"),
      JSON.stringify({ name: "packed", version: "1.0.0", main: "index.mjs" }),
    );
    writeFileSync(join(root, "packed/index.mjs"), plain("packed"));

    const added = await tenon("plugins", "add", "mine.mjs", "--no-sandbox", "--options", '{"a":1}');
    expect(added).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Added mine 1.2.3 with mine_one"),
    });
    expect(plugins()).toEqual([{ path: join(workspace, "mine.mjs"), options: { a: 1 } }]);

    const packed = await tenon("plugins", "add", `packed@file:${join(root, "packed")}`, "--json");
    expect(packed.stderr).toBe("");
    expect(JSON.parse(packed.stdout)).toMatchObject({
      name: "packed",
      tools: ["packed_one"],
      sandbox: {},
      trial: { started: true, tools: ["packed_one"] },
    });
    expect(existsSync(join(root, "config/tenon/plugins/node_modules/packed"))).toBe(true);

    const again = await tenon("plugins", "add", "./mine.mjs");
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('"mine" was already added') });

    const listed = await tenon("plugins", "list", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: "mine", version: "1.2.3", state: "running", mode: "process", tools: ["mine_one"] },
      { name: "packed", source: "packed", sandbox: {} },
    ]);
    const shown = await tenon("plugins", "list");
    expect(shown.stdout).toMatch(
      /mine .*outside[^]*packed .*inside[^]*to move it in: tenon plugins sandbox mine/,
    );
    expect((await tenon("doctor")).stdout).toContain("tenon plugins sandbox ");
    const moved = await tenon("plugins", "sandbox", "mine");
    expect(moved).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("started in the sandbox with 1 tool"),
    });
    expect(plugins()).toEqual([
      { path: join(workspace, "mine.mjs"), options: { a: 1 }, sandbox: {} },
      { path: "packed", sandbox: {} },
    ]);
    expect(await tenon("call", "packed_one")).toMatchObject({ code: 0, stdout: "one of packed\n" });

    expect(await tenon("plugins", "remove", "mine")).toMatchObject({ code: 0 });
    expect(await tenon("plugins", "remove", "packed")).toMatchObject({ code: 0 });
    expect(plugins()).toEqual([]);
    expect(existsSync(join(root, "config/tenon/plugins/node_modules/packed"))).toBe(false);
    expect(await tenon("plugins", "remove", "mine")).toMatchObject({ code: 1 });
  });

  it("refuses what cannot be loaded and leaves the configuration alone", async () => {
    const before = readFileSync(config, "utf8");
    writeFileSync(join(workspace, "bad.mjs"), `export const plugin = { tools: [] };`);
    expect(await tenon("plugins", "add", "bad.mjs")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`"name" must be`),
    });
    expect(await tenon("plugins", "add", "a b")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not a path or a valid npm package name"),
    });
    expect(readFileSync(config, "utf8")).toBe(before);
  });

  it("shows a plugin that fails, with its fault, and exits with 1", async () => {
    writeFileSync(config, JSON.stringify({ plugins: ["./gone.ts"] }));
    const listed = await tenon("plugins", "list");
    expect(listed.code).toBe(1);
    expect(listed.stdout).toMatch(/failed[^]*gone\.ts.*does not exist/);
    rmSync(config);
  });

  it("keeps the comments of a YAML file, and does not touch a program", async () => {
    const yaml = join(root, "config/tenon/config.yml");
    writeFileSync(yaml, "# mine\nmode: ask # careful\nplugins:\n  - ./gone.ts\n");
    expect(await tenon("plugins", "remove", join(root, "config/tenon/gone.ts"))).toMatchObject({ code: 0 });
    expect(readFileSync(yaml, "utf8")).toMatch(/^# mine\nmode: ask # careful\nplugins: *\[\]/);
    rmSync(yaml);
    const code = join(root, "config/tenon/config.mjs");
    writeFileSync(code, "export default { plugins: [] };");
    expect(await tenon("plugins", "add", "mine.mjs")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("cannot be edited automatically"),
    });
    rmSync(code);
  });

  it("creates a plugin, but not over something else", async () => {
    expect(await tenon("plugins", "create", "My Plugin")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("my-plugin"),
    });
    expect(readFileSync(join(workspace, "My Plugin/index.ts"), "utf8")).toContain('name: "my-plugin"');
    expect(await tenon("plugins", "create", "My Plugin")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not empty"),
    });
  });
});
