import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createConfigFolders, type ConfigFolders } from "./config-folders.fixture.js";

let folders: ConfigFolders;
let workspace: ConfigFolders["workspace"];
let put: ConfigFolders["put"];
let failure: ConfigFolders["failure"];

beforeEach(async () => {
  folders = await createConfigFolders();
  ({ workspace, put, failure } = folders);
});

afterEach(() => folders.remove());

describe("loadConfig, at fault", () => {
  it("tells every fault of every source at once, with file, line, column and the nearest key", async () => {
    const workspaceFile = await put(
      "work/tenon.config.yml",
      "mode: ask\ntools:\n  timout: 5\n  maxConcurrent: -1\n",
    );
    const userFile = await put("home/.config/tenon/config.json", '{\n  "agent": "${MISSING}"\n}');
    const error = await failure({ env: { TENON_MODE: "atuo" }, flags: { optimiser: "on" as "off" } });
    expect(error.problems).toMatchObject([
      { file: "command line", path: "optimiser" },
      { file: "environment", path: "TENON_MODE", suggestion: "auto" },
      { file: userFile, line: 2, column: 3, path: "agent" },
      { file: workspaceFile, line: 3, column: 3, path: "tools.timout", suggestion: "timeout" },
      { file: workspaceFile, line: 4, column: 3, path: "tools.maxConcurrent" },
    ]);
    expect(error.message).toContain(
      `${workspaceFile}:3:3: tools.timout: unknown key; did you mean "timeout"?`,
    );
    expect(error.message).toContain("MISSING");
  });

  it.each([
    ["tenon.config.json", '{\n  "mode": "ask",,\n}', 2, 17],
    ["tenon.config.yml", "mode: ask\ntools: @x\n", 2, 8],
    ["tenon.config.yml", "- a\n- b\n", 1, 1],
    ["tenon.config.json", '"text"', 1, 1],
    ["tenon.config.json", "[]", 1, 1],
    ["tenon.config.yml", "mode: ask\nmode: auto\n", 2, 1],
    ["tenon.config.yml", "tools:\n  timeout: .inf\n", 2, 3],
    ["tenon.config.yml", "tools:\n  timeout: .nan\n", 2, 3],
    ["tenon.config.yml", "tools:\n", 1, 1],
    ["tenon.config.yml", "a: 1\n__proto__: {b: 1}\n", 2, 1],
    ["tenon.config.json", '{"tools": {"timeout": 1e999}}', 1, 12],
  ])("refuses %s with %j", async (name, text, line, column) => {
    const file = await put(`work/${name}`, text);
    const error = await failure();
    expect(error).toMatchObject({ file, line, column });
  });

  it("refuses two configurations in one folder and names both", async () => {
    const one = await put("work/tenon.config.yml", "mode: ask\n");
    const other = await put("work/tenon.config.json", "{}");
    const { message } = await failure();
    expect(message).toContain(one);
    expect(message).toContain(other);
  });

  it("refuses what is no regular file, too large, or no text", async () => {
    execFileSync("mkfifo", [join(workspace, "tenon.config.yml")]);
    expect((await failure()).message).toContain("regular file");
    await rm(join(workspace, "tenon.config.yml"));
    await mkdir(join(workspace, "tenon.config.yml"));
    await failure();
    await rm(join(workspace, "tenon.config.yml"), { recursive: true });
    await symlink("/dev/zero", join(workspace, "tenon.config.yml"));
    expect((await failure()).message).toContain("regular file");
    await rm(join(workspace, "tenon.config.yml"));
    await put("work/tenon.config.yml", "#".repeat(1024 * 1024 + 1));
    expect((await failure()).message).toContain("1 MB");
    await put("work/tenon.config.yml", Uint8Array.of(0x61, 0xff, 0xfe));
    expect((await failure()).message).toContain("UTF-8");
  });

  it("refuses a --config that is missing or of a kind it does not know", async () => {
    expect((await failure({ configFile: "nowhere.yml" })).message).toContain("does not exist");
    expect((await failure({ configFile: await put("c.toml", "") })).message).toContain(".yml");
  });

  it.each([
    ["ts", "export default { tools: { timout: 1 } };", "tools.timout"],
    ["ts", "export default { tools: { perTool: { x: { custom: { f() {} } } } } };", "function"],
    ["mjs", 'throw new Error("broken here");', "broken here"],
    ["ts", "const x: = 1", "failed to run"],
    ["mjs", "export const other = 1;", "default export"],
    ["ts", 'export default { mode: "${NOT_SET}" };', "NOT_SET"],
  ])("names the file of faulty code (%s: %s)", async (extension, text, part) => {
    const file = await put(`work/tenon.config.${extension}`, text);
    const error = await failure();
    expect(error.file).toBe(file);
    expect(error.message).toContain(part);
  });

  it.each([
    ["ts", "export default {\n  mode: oops oops\n};\n", 2],
    ["ts", "const a: any = undefined;\n\na.length;\nexport default {};\n", 3],
    ["mjs", "const a = undefined;\nconst read = () => a.length;\nread();\nexport default {};\n", 2],
  ])("names the line at which code failed (%s: %s)", async (extension, text, line) => {
    const file = await put(`work/tenon.config.${extension}`, text);
    expect((await failure()).message).toContain(`${file}:${line}:`);
  });

  it("shows no secret and no control character", async () => {
    await put(
      "work/tenon.config.yml",
      'mode: "${KEY}"\ntools: {"\\e[31mred\\u202e": 1, timeout: "${KEY}"}\n',
    );
    const { message } = await failure({ env: { KEY: "sk-secret" } });
    expect(message).not.toContain("sk-secret");
    expect(message).not.toMatch(/[^\P{C}\n]/u);
  });
});
