import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../config/load-config.js";
import { configTemplate } from "../config-template.js";
import { installPackage } from "../install-package.js";
import { runTenon, type Ended } from "../testing/run-tenon.js";

let root: string;
let workspace: string;
let home: string;
const realHome = process.env["HOME"];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-set-up-"));
  workspace = join(root, "work space");
  home = join(root, "home");
  mkdirSync(workspace);
  mkdirSync(home);
  process.env["HOME"] = home; // os.homedir() of this process
});

afterEach(() => {
  process.env["HOME"] = realHome;
  rmSync(root, { recursive: true, force: true });
});

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  runTenon(args, { cwd: workspace, env: { TENON_STATE_DIR: join(root, "state"), PATH: "", ...env } });

describe("tenon init", () => {
  it("writes a configuration that changes nothing, and never replaces one", async () => {
    expect(await run(["init"])).toMatchObject({ code: 0 });
    const file = join(workspace, "tenon.config.yml");
    expect((await run(["doctor", "--json"])).out).toContain(`${file} is not trusted`);
    writeFileSync(file, "mode: auto\n");
    const again = await run(["init"]);
    expect(again.code).toBe(2);
    expect(again.err).toContain("exists already");
    expect(readFileSync(file, "utf8")).toBe("mode: auto\n");
  });

  it("has examples that are valid once they are not commented out", async () => {
    const blocks = configTemplate.split("\n\n").map((block) =>
      block
        .split("\n")
        .filter((line) => /^# (?: *- |[a-zA-Z]+:| {2,}\S)/.test(line))
        .map((line) => line.slice(2))
        .join("\n"),
    );
    const text = blocks.filter((block) => block !== "").join("\n");
    expect(text.match(/^\w+:/gm)).toEqual(
      expect.arrayContaining(["mode:", "policy:", "files:", "mcpServers:", "plugins:", "tools:", "logging:"]),
    );
    writeFileSync(join(workspace, "tenon.config.yml"), text);
    const loaded = await loadConfig({ workspace, env: {}, home, cwd: workspace, trusted: () => true });
    expect(loaded.config.policy.rules).toHaveLength(2);
  });

  it("shows the entry for the hosts that are installed", async () => {
    mkdirSync(join(home, ".cursor"));
    const { out } = await run(["init", "--json"]);
    const { hosts } = JSON.parse(out) as { hosts: { host: string; file: string; text: string }[] };
    expect(hosts.map(({ host }) => host)).toEqual(["cursor"]);
    expect(JSON.parse(hosts[0]?.text ?? "")).toMatchObject({
      mcpServers: { tenon: { args: expect.arrayContaining(["mcp", "${workspaceFolder}"]) as string[] } },
    });
  });
});

describe("tenon mcp install", () => {
  const claude = () => join(home, ".claude.json");

  it("adds Tenon beside what is there, and keeps permissions and links", async () => {
    const target = join(home, "dotfiles.json");
    writeFileSync(
      target,
      '{\n    "projects": {"x": 1},\n    "mcpServers": {"other": {"command": "o"}}\n}\n',
      { mode: 0o640 },
    );
    chmodSync(target, 0o640);
    symlinkSync(target, claude());
    const { code, err } = await run(["mcp", "install", "claude-code", "--yes"]);
    expect(code).toBe(0);
    expect(err).toContain('+        "tenon": {');
    expect(JSON.parse(readFileSync(claude(), "utf8"))).toMatchObject({
      projects: { x: 1 },
      mcpServers: { other: { command: "o" }, tenon: { command: process.execPath } },
    });
    expect(statSync(target).mode & 0o777).toBe(0o640);
  });

  it("starts a server that answers", async () => {
    await run(["mcp", "install", "claude-code", "--yes", "--workspace", workspace]);
    const { mcpServers } = JSON.parse(readFileSync(claude(), "utf8")) as {
      mcpServers: { tenon: { command: string; args: string[] } };
    };
    expect(existsSync(mcpServers.tenon.args[0] ?? "")).toBe(true);
    expect(mcpServers.tenon.args.slice(1)).toEqual(["mcp", "--workspace", workspace]);
  });

  it("appends to TOML, so that comments stay", async () => {
    const file = join(home, ".codex", "config.toml");
    mkdirSync(dirname(file));
    writeFileSync(file, '# mine\nmodel = "x"');
    expect((await run(["mcp", "install", "codex", "--yes"])).code).toBe(0);
    expect(readFileSync(file, "utf8")).toMatch(/^# mine\nmodel = "x"\n\n\[mcp_servers\.tenon\]\n/);
    const again = await run(["mcp", "install", "codex", "--yes"]);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining("Codex already uses it") as string });
    const other = await run(["mcp", "install", "codex", "--yes", "--workspace", workspace]);
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining("already has a server") as string });
  });

  it.each(['mcp_servers = { other = { command = "o" } }\n', "mcp_servers = 5\n"])(
    "leaves TOML as it is that a table would break: %s",
    async (text) => {
      const file = join(home, ".codex", "config.toml");
      mkdirSync(dirname(file));
      writeFileSync(file, text);
      const { code, err } = await run(["mcp", "install", "codex", "--yes"]);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("--print shows it") as string });
      expect(readFileSync(file, "utf8")).toBe(text);
    },
  );

  it.each([
    ["{ // comment\n", "is not valid JSON"],
    ['{"mcpServers": null}', '"mcpServers" in'],
    ["[1]", "does not contain a JSON object"],
    ['{"mcpServers": {"tenon": {"command": "x"}}}', "already has a server named"],
  ])("leaves %s as it is", async (text, message) => {
    writeFileSync(claude(), text);
    const { code, err } = await run(["mcp", "install", "claude-code", "--yes"]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(readFileSync(claude(), "utf8")).toBe(text);
  });

  it("keeps comments and trailing commas, and does nothing the second time", async () => {
    writeFileSync(
      claude(),
      '{\n  // mine\n  "mcpServers": {\n    "other": { "command": "o" }, // last\n  },\n}\n',
    );
    expect((await run(["mcp", "install", "claude-code", "--yes"])).code).toBe(0);
    const text = readFileSync(claude(), "utf8");
    expect(text).toMatch(
      /^\{\n {2}\/\/ mine\n {2}"mcpServers": \{\n {4}"other": \{ "command": "o" \}, \/\/ last\n {4}"tenon": \{/,
    );
    expect(await run(["mcp", "install", "claude-code", "--yes"])).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(claude(), "utf8")).toBe(text);
  });

  it("changes nothing without consent", async () => {
    const { code, err } = await run(["mcp", "install", "cursor"]);
    expect(code).toBe(2);
    expect(err).toContain("Pass --yes");
    expect(existsSync(join(home, ".cursor"))).toBe(false);
  });
});

describe("tenon doctor", () => {
  it("prints its table also for a broken configuration, faults by line, each with a fix", async () => {
    writeFileSync(
      join(workspace, "tenon.config.yml"),
      "mode: yolo\ntools:\n  timout: 3\npolicy:\n  rules: 5\n",
    );
    const { code, out } = await run(["doctor"]);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^ok +node[^]*yml:1:1: mode[^]*yml:3:3: tools\.timout[^]*yml:5:3: policy\.rules[^]*EDITOR/,
    );
  });

  it.each([
    ["a state that is a file", "note.txt", /fail +state .*cannot be used/],
    ["a state below a file", "note.txt/below", /fail +state/],
  ])("prints its table for %s", async (_, state, row) => {
    writeFileSync(join(workspace, "note.txt"), "");
    const { code, out } = await run(["doctor"], { TENON_STATE_DIR: join(workspace, state) });
    expect(code).toBe(1);
    expect(out).toMatch(row);
    expect(out).toContain("To fix or investigate");
  });

  it("names plugins that cannot be loaded, and quotes what it offers to paste", async () => {
    const file = join(root, "plugins.json");
    const plugin = join(root, "my missing.mjs");
    writeFileSync(file, JSON.stringify({ plugins: [plugin] }));
    const { code, out } = await run(["doctor", "--config", file]);
    expect(code).toBe(1);
    expect(out).toMatch(/fail +plugins +Plugin .*does not exist/);
    expect(out).toContain("tenon plugins list");
    expect(out).toContain(`tenon plugins sandbox '${plugin}'`);
  });

  it("says that a state in memory keeps nothing", async () => {
    const file = join(root, "memory.yml");
    writeFileSync(file, 'database: ":memory:"\n');
    const { out } = await run(["doctor", "--config", file]);
    expect(out).toMatch(/warn +state +in memory/);
    expect(out).toContain(`state   "\${EDITOR:-vi}" ${file}`);
  });

  it("installs a package as the hint says, without asking, and reports failures", () => {
    const env = { PATH: join(root, "bin") };
    mkdirSync(env.PATH);
    writeFileSync(join(env.PATH, "apt-get"), `#!/bin/sh\necho "$@" > '${join(root, "apt.log")}'\n`, {
      mode: 0o755,
    });
    expect(installPackage("sudo apt-get install bubblewrap", env)).toBe("Ran: apt-get -y install bubblewrap");
    expect(readFileSync(join(root, "apt.log"), "utf8")).toBe("-y install bubblewrap\n");
    expect(installPackage("sudo dnf install bubblewrap", env)).toMatch(/^Failed: dnf install bubblewrap: /);
    writeFileSync(join(env.PATH, "apt-get"), "#!/bin/sh\necho 'W: x\nE: no network' >&2; exit 100\n");
    expect(installPackage("sudo apt-get install bubblewrap", env)).toMatch(/bubblewrap: E: no network$/);
  });
});
