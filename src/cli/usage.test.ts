import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "./main.js";
import { commandPath } from "./report-error.js";
import { moveLeadingOptions } from "./shared-options.js";
import { runTenon, silentTerminal, type Ended } from "./testing/run-tenon.js";

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "tenon-usage-"));
  writeFileSync(join(cwd, "note.txt"), "one\n");
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const run = (...args: string[]): Promise<Ended> =>
  runTenon(args, { cwd, env: { TENON_STATE_DIR: join(cwd, "state") } });

describe("usage errors", () => {
  it.each([
    [["log", "verify", "--bogus"], "unknown option '--bogus'", "tenon log verify --help"],
    [["log", "verify", "--head", "12:zz"], 'Invalid --head "12:zz"', "tenon log verify --help"],
    [["help", "nope"], "unknown command 'nope'", "tenon --help"],
    [["help", "mcp-servers", "lst"], "(Did you mean list?)", "tenon mcp-servers --help"],
    [["log", "shw"], "unknown command 'shw'\n(Did you mean show?)", "tenon log --help"],
    [["serve", "lnk"], "unknown command 'lnk'\n(Did you mean link?)", "tenon serve --help"],
    [["mcp", "instal"], "(Did you mean install?)", "tenon mcp --help"],
    [["undo", "show"], "too many arguments", "tenon undo --help"],
    [["mcp", "install", "nope"], 'Invalid host "nope" (expected ', "tenon mcp install --help"],
    [
      ["policy", "simulate", "--rules", "missing"],
      "missing: no such file or folder",
      "tenon policy simulate --help",
    ],
    [["tools", "--mode", "yolo"], "argument 'yolo' is invalid", "tenon tools --help"],
    [["mcp-servers", "add", "fs"], "--url ADDRESS", "tenon mcp-servers add --help"],
    [
      ["mcp-servers", "add", "fs", "--url", "http://127.0.0.1:1", "x"],
      "not both",
      "tenon mcp-servers add --help",
    ],
    [["tools", "-w", "note.txt"], "note.txt as the workspace: it is not a folder", "tenon tools --help"],
    [["tools", "-w", "missing"], "missing as the workspace: no such file or folder", "tenon tools --help"],
    [["state", "restore", "missing"], "missing: no such file or folder", "tenon state restore --help"],
    [["state", "backup", "note.txt"], "note.txt: it exists already", "tenon state backup --help"],
    [["plugins", "add", " "], "Pass a file, a folder or an npm package", "tenon plugins add --help"],
    [["call", "edit_file", "note.txt"], "Did you mean path=note.txt?", "tenon call --help"],
  ])("%j says what is wrong and names the help of its command", async (args, message, help) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(err).toContain(`Run '${help}' for usage.`);
  });

  it.each([
    [["tools", "--json", "--bogus"], "unknown option '--bogus'"],
    [["--json", "nope"], "unknown command 'nope'"],
    [["--json", "help", "nope"], "unknown command 'nope'"],
    [["--json", "log", "nope"], "unknown command 'nope'"],
    [["tools", "--json", "--category", "nope"], 'Unknown category "nope"'],
  ])("%j prints one JSON object and nothing else", async (args, message) => {
    const { code, out, err } = await run(...args);
    expect({ code, err }).toEqual({ code: 2, err: "" });
    expect(JSON.parse(out)).toMatchObject({
      success: false,
      error: {
        code: "USAGE",
        message: expect.stringContaining(message) as string,
        hint: expect.stringMatching(/^Run 'tenon.* --help' for usage\.$/) as string,
      },
    });
  });

  it.each([
    [["log", "show", "nope"], "Run: tenon log"],
    [["tools", "nope"], "Run: tenon tools"],
    [["plan", "nope"], "Run: tenon plan"],
    [["reflect", "nope"], "tenon log --json"],
    [["snippets", "nope"], "Run: tenon snippets"],
    [["endpoints", "try", "nope"], "Configured: none."],
    [["plugins", "remove", "nope"], "Run: tenon plugins list"],
    [["mcp-servers", "remove", "nope"], "Run: tenon mcp-servers list"],
    [["mcp-servers", "logs", "nope"], "Run: tenon mcp-servers list"],
    [["policy", "revoke", "nope"], "Run: tenon policy list"],
    [["tokens", "create", "t", "--user", "no one"], "tenon users add 'no one'"],
  ])("%j is not misuse: what does not exist is named, with the way to what does", async (args, hint) => {
    const { code, err } = await run(...args);
    expect(code).toBe(1);
    expect(err).toMatch(/not found/);
    expect(err).toContain(hint);
    expect(err).not.toContain("--help");
  });

  it("take a misspelt tool for what it is, whatever follows", async () => {
    const { code, err } = await run("call", "read_fil", "note.txt");
    expect([code, err]).toEqual([1, expect.stringContaining('Did you mean "read_file"?')]);
  });

  it("name the path of a file that cannot be made, not the system call", async () => {
    const { code, err } = await runTenon(["users", "add", "mia"], {
      cwd,
      env: { TENON_STATE_DIR: join(cwd, "note.txt") },
    });
    expect([code, err]).toEqual([1, expect.stringContaining("part of the path is not a folder")]);
    expect(err).not.toMatch(/E[A-Z]{4,}:/);
  });

  it("leaves no part of a backup behind", async () => {
    await run("state", "backup", "note.txt");
    expect(readdirSync(cwd).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });
});

describe("options before the command", () => {
  it("work as those behind it", async () => {
    const { code, out } = await run("--json", "-s", "other", "call", "get_file_info", "note.txt");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ success: true, metadata: { sessionId: "other" } });
  });

  it("go behind the whole name of a command, and those of the command itself stay", async () => {
    const program = createProgram(silentTerminal(cwd));
    const moved = moveLeadingOptions(program, [
      "--mode=auto",
      "-w",
      "x",
      "mcp-servers",
      "test",
      "list",
      "--wait",
    ]);
    expect(moved).toEqual(["mcp-servers", "test", "--mode=auto", "-w", "x", "list", "--wait"]);
  });
});

describe("help", () => {
  it("lists the shared options once, and names them in every command that takes them", async () => {
    const root = await run("--help");
    expect(root.out).toContain("-w, --workspace <dir>");
    const { out } = await run("mcp-servers", "add", "--help");
    expect(out).not.toContain("-w, --workspace");
    expect(out).toContain("Shared options (see tenon --help): --workspace");
  });

  it("shows every command below a heading, and `help` prints what --help prints", async () => {
    const { out } = await run("--help");
    const program = createProgram(silentTerminal(cwd));
    for (const command of program.commands.filter((each) => each.name() !== "complete")) {
      expect(out).toMatch(new RegExp(`^  ${command.name()}\\b`, "m"));
      const [asked, shown] = await Promise.all([run("help", command.name()), run(command.name(), "--help")]);
      expect(asked, commandPath(command)).toEqual(shown);
    }
    expect(out).not.toMatch(/^Commands:/m);
  });
});

describe("tenon call", () => {
  it.each([
    ["the value of the only required argument", ["read_file", "note.txt"]],
    ["that value and more", ["read_file", "note.txt", "start_line=1"]],
    ["a pair", ["read_file", "path=note.txt"]],
  ])("takes %s", async (_, words) => {
    expect(await run("call", ...words)).toMatchObject({
      code: 0,
      out: expect.stringContaining("one") as string,
    });
  });

  it("takes a value with an equals sign if no argument has that name", async () => {
    const { out } = await run("call", "base64_encode", "a b=c");
    expect(out).toBe("YSBiPWM=\n");
  });
});
