import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createConfigFolders, type ConfigFolders } from "./config-folders.fixture.js";

let folders: ConfigFolders;
let root: ConfigFolders["root"];
let workspace: ConfigFolders["workspace"];
let home: ConfigFolders["home"];
let put: ConfigFolders["put"];
let load: ConfigFolders["load"];

beforeEach(async () => {
  folders = await createConfigFolders();
  ({ root, workspace, home, put, load } = folders);
});

afterEach(() => folders.remove());

describe("loadConfig", () => {
  it("gives the defaults where nothing is configured", async () => {
    const { config, sources, warnings, untrusted, rules } = await load();
    expect(config).toMatchObject({
      mode: "ask",
      workspaceDir: workspace,
      stateDir: join(home, ".local/state/tenon"),
    });
    expect({ sources, warnings, untrusted, rules }).toEqual({
      sources: [{ kind: "default" }],
      warnings: [],
      untrusted: undefined,
      rules: [],
    });
  });

  it.each([
    ["yml", "mode: auto\ntools: {timeout: 5}\n"],
    ["yaml", "mode: auto\ntools:\n  timeout: 5\n"],
    ["json", '\uFEFF{"$schema": "x", "mode": "auto", "tools": {"timeout": 5}}'],
    [
      "ts",
      'import { join } from "node:path";\nconst mode: string = "auto";\nexport default { mode, tools: { timeout: join("a", "b").length + 2 } };',
    ],
    ["mjs", 'export default { mode: "auto", tools: { timeout: 5 } };'],
    ["js", 'export default { mode: "auto", tools: { timeout: 5 } };'],
    ["js", 'module.exports = { mode: "auto", tools: { timeout: 5 } };'],
  ])("reads tenon.config.%s", async (extension, text) => {
    await put(`work/tenon.config.${extension}`, text);
    const { config, sources } = await load();
    expect(config).toMatchObject({ mode: "auto", tools: { timeout: 5 } });
    expect(sources[0]).toMatchObject({
      kind: "workspace",
      digest: expect.stringMatching(/[0-9a-f]{64}$/) as string,
    });
  });

  it.each([
    ["ts", 'import { defineConfig } from "tenon";\nexport default defineConfig({ mode: "auto" });'],
    ["ts", 'import { shared } from "./shared.js";\nexport default shared;'],
    ["ts", 'export default (await import("tenon")).defineConfig({ mode: "auto" });'],
    ["mjs", 'import { defineConfig } from "tenon";\nexport default defineConfig({ mode: "auto" });'],
    ["js", 'import { defineConfig } from "tenon";\nexport default defineConfig({ mode: "auto" });'],
    ["js", 'module.exports = require("tenon").defineConfig({ mode: "auto" });'],
  ])("gives tenon.config.%s the package, though its folder has none: %s", async (extension, text) => {
    await put(
      "work/shared.ts",
      'import { defineConfig, type TenonConfig } from "tenon";\nexport const shared: TenonConfig = defineConfig({ mode: "auto" });',
    );
    await put(`work/tenon.config.${extension}`, text);
    expect((await load()).config.mode).toBe("auto");
  });

  it("names a package that is missing", async () => {
    await put("work/tenon.config.ts", 'import x from "tenon-missing";\nexport default x;');
    expect((await folders.failure()).message).toContain("tenon-missing");
  });

  it("runs changed code again, not the code that it was", async () => {
    const kinds = [
      ["ts", "export default"],
      ["mjs", "export default"],
      ["js", "module.exports ="],
    ];
    for (const [extension, start] of kinds) {
      const file = await put(`work/tenon.config.${extension}`, `${start} { mode: "auto" };`);
      expect((await load()).config.mode).toBe("auto");
      await writeFile(file, `${start} { mode: "read-only" };`);
      expect((await load()).config.mode).toBe("read-only");
      await rm(file);
    }
  });

  it("lets flags beat the environment, --config, the user's, and the workspace's file", async () => {
    await put(
      "work/tenon.config.yml",
      "mode: auto\ntoolset: w\nagent: w\nlogLevel: error\noptimiser: advise\n",
    );
    await put("home/.config/tenon/config.yml", "mode: ask\ntoolset: u\nagent: u\nlogLevel: debug\n");
    const configFile = await put("other/my.yml", "mode: ask\ntoolset: f\nagent: f\n");
    const { config, sources } = await load({
      configFile,
      env: { TENON_MODE: "unattended", TENON_TOOLSET: "e" },
      flags: { mode: "read-only" },
    });
    expect(config).toMatchObject({
      mode: "read-only",
      toolset: "e",
      agent: "f",
      logLevel: "debug",
      optimiser: "advise",
    });
    expect(sources.map(({ kind }) => kind)).toEqual(["flags", "env", "file", "user", "workspace", "default"]);
    // The first source that has a setting is the one that decides it.
    const decidedBy = (path: string) => sources.find(({ settings }) => settings?.includes(path))?.kind;
    expect(["mode", "toolset", "agent", "logLevel", "optimiser", "audit.enabled"].map(decidedBy)).toEqual([
      "flags",
      "env",
      "file",
      "user",
      "workspace",
      undefined,
    ]);
  });

  it("finds --config by TENON_CONFIG, and the folders of XDG", async () => {
    await put("xdg/tenon/config.json", '{"agent": "u"}');
    await put("work/conf/c.yml", "toolset: f\nstateDir: ./state\n");
    const env = {
      TENON_CONFIG: "conf/c.yml",
      XDG_CONFIG_HOME: join(root, "xdg"),
      XDG_STATE_HOME: "relative",
    };
    const { config } = await load({ env });
    expect(config).toMatchObject({ agent: "u", toolset: "f", stateDir: join(workspace, "conf/state") });
  });

  it("keeps policy rules apart by source, each named by where it stands", async () => {
    await put("work/tenon.config.yml", "policy:\n  rules:\n    - decision: allow\n      tool: a\n");
    await put(
      "home/.config/tenon/config.json",
      '{"policy":{"rules":[{"decision":"deny","path":"~/.ssh/**"}]}}',
    );
    const configFile = await put("c.yml", "policy: {rules: [{id: mine, decision: ask}]}\n");
    const { rules, config } = await load({
      configFile,
      flags: { policy: { rules: [{ decision: "deny", tool: "z" }] } },
    });
    expect(rules).toEqual([
      {
        source: "command-line",
        trusted: true,
        rules: [
          { id: "command-line#1", decision: "deny", tool: "z" },
          { id: "mine", decision: "ask" },
        ],
      },
      {
        source: "user",
        trusted: true,
        rules: [{ id: "config.json:1:21", decision: "deny", path: join(home, ".ssh/**") }],
      },
      {
        source: "workspace",
        trusted: true,
        rules: [{ id: "tenon.config.yml:3:7", decision: "allow", tool: "a" }],
      },
    ]);
    expect(config.policy.rules.map(({ id }) => id)).toEqual([
      "command-line#1",
      "mine",
      "config.json:1:21",
      "tenon.config.yml:3:7",
    ]);
  });

  it("gives rules that two files call alike two names", async () => {
    await put(
      "work/tenon.config.yml",
      "policy: {rules: [{id: push, decision: deny, path: ['!~/x', '**']}]}\n",
    );
    await put("home/.config/tenon/config.yml", "policy: {rules: [{id: push, decision: ask}]}\n");
    const { config, rules } = await load();
    expect(config.policy.rules.map(({ id }) => id)).toEqual(["push", "workspace:push"]);
    expect(rules[1]?.rules[0]).toMatchObject({ id: "workspace:push", path: [`!${home}/x`, "**"] });
  });

  it("protects the files that it was read from", async () => {
    const configFile = await put("work/conf/mine.yml", "mode: ask\n");
    const { config } = await load({ configFile });
    expect(config.files.protectedPaths).toEqual(
      expect.arrayContaining([configFile, "tenon.config.*", ".tenon/**"]),
    );
  });

  it("reads the configuration of the workspace that a stronger source names", async () => {
    await put("work/tenon.config.yml", "agent: wrong\n");
    await put("else/tenon.config.yml", "agent: right\n");
    await put("home/.config/tenon/config.yml", "workspaceDir: ../../../else\n");
    const { config } = await load();
    expect(config).toMatchObject({ agent: "right", workspaceDir: join(root, "else") });
  });

  it("fills in variables in values", async () => {
    await put("work/tenon.config.yml", 'agent: "${WHO}-${PART:-main}"\ntoolset: $${WHO}\n');
    const { config } = await load({ env: { WHO: "a: {b}" } });
    expect(config).toMatchObject({ agent: "a: {b}-main", toolset: "${WHO}" });
  });
});
