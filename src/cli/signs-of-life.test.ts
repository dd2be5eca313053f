import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { underLoad } from "../../test/setup/under-load.js";
import { personLog } from "./log-line.js";
import { paintChanges } from "./output.js";
import { runTenon, silentTerminal, type Ended } from "./testing/run-tenon.js";

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "tenon-life-"));
  mkdirSync(join(cwd, "workspace"));
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const run = (args: readonly string[], columns?: number): Promise<Ended> =>
  runTenon(args, {
    cwd: join(cwd, "workspace"),
    env: { TENON_STATE_DIR: join(cwd, "state") },
    ...(columns !== undefined && { columns }),
  });

describe("a long call", () => {
  it("shows that it is running, and leaves nothing of that behind", async () => {
    const { err, out } = await run(["call", "sleep", "1.2"], 60);
    expect(err).toMatch(/sleep is running, 1 s/);
    expect(err.endsWith("\r\u001b[K")).toBe(true);
    expect(out).toBe("Slept 1.2 s.\n");
  });

  it("shows nothing of that in a pipe or with --json", async () => {
    expect((await run(["call", "sleep", "0.7"])).err).toBe("");
    expect((await run(["call", "sleep", "0.7", "--json"], 60)).err).toBe("");
  });
});

describe("a command that prints while it runs", () => {
  const command = ["call", "shell_exec", "command=echo one; echo two >&2; sleep 0.2; printf three; echo"];

  it("is shown line by line, and at a terminal not a second time", async () => {
    const { err, out } = await run([...command, "--mode", "auto"], 60);
    expect(
      stripVTControlCharacters(err)
        .split(/[\r\n]+/)
        .filter((line) => /^(?:one|two|three)$/.test(line)),
    ).toEqual(expect.arrayContaining(["one", "two", "three"]));
    expect(err).not.toContain("\n\n");
    expect(out).toBe("[stderr]\ntwo\n");
  });

  it("is whole in a pipe", async () => {
    expect((await run([...command, "--mode", "auto"])).out).toBe("one\nthree\n[stderr]\ntwo\n");
  });
});

describe("log lines", () => {
  it("go where the configuration says, also those of calls", async () => {
    const config = join(cwd, "config.yml");
    const file = join(cwd, "logs", "tenon.log");
    writeFileSync(config, `logLevel: debug\nlogging:\n  file: ${JSON.stringify(file)}\n`);
    const { err } = await run(["call", "current_time", "--config", config]);
    expect(err).toBe("");
    expect(readFileSync(file, "utf8")).toMatch(/"message":"call completed"/);
  });

  it.each([
    [
      { level: "info", time: 1, message: "ready", plugin: "words", options: {} },
      "tenon: plugin words: ready\n",
    ],
    [{ level: "warn", time: 1, message: "slow", toolName: "t", ms: 5 }, "tenon: t: warning: slow (ms=5)\n"],
    [{ level: "error", time: 1, message: "a\u001b[2Jb" }, "tenon: error: a⟨ESC⟩[2Jb\n"],
  ])("are sentences for people: %j", (record, line) => {
    const lines: string[] = [];
    const stderr = { write: (text: string) => lines.push(text) } as unknown as NodeJS.WritableStream;
    personLog({ ...silentTerminal(cwd), stderr })(record);
    expect(lines).toEqual([line]);
  });

  it("show only the first lines that a plugin prints", () => {
    const lines: string[] = [];
    const stderr = { write: (text: string) => lines.push(text) } as unknown as NodeJS.WritableStream;
    const log = personLog({ ...silentTerminal(cwd), stderr });
    for (let at = 1; at <= 100; at++)
      log({ level: "info", time: 1, message: `line ${at}`, plugin: "words", stream: "stdout" });
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe("tenon: plugin words: line 1\n");
    expect(lines[20]).toContain("plugin words: its further output is not shown");
  });
});

describe("the changes in a request for consent", () => {
  const colors = picocolors.createColors(true);

  it("are in color, and only they", () => {
    const text = "Arguments:\n│ + not a change\nChanges:\n│ -old\n│ +new\n│  same\nWhy you are asked: + x";
    const painted = paintChanges(text, colors);
    expect(stripVTControlCharacters(painted)).toBe(text);
    expect(painted).toContain(colors.red("│ -old"));
    expect(painted).toContain(colors.green("│ +new"));
    expect(painted).toContain("\n│ + not a change\n");
    expect(painted.endsWith("Why you are asked: + x")).toBe(true);
  });
});

describe("completion", () => {
  it.each([
    [["call", "read_fi"], /^read_file\t/m],
    [["call", "read_file", ""], /^path=\t/m],
    [["tools", "--mode", ""], /^unattended\b/m],
    [["tools", "--toolset", ""], /^readonly\b/m],
    [["call", "--work"], /^--workspace\t/m],
    [["--session", ""], /^kept\b/m],
    [["-s", "ke"], /^kept\b/m],
    [["--session=ke"], /^kept\b/m],
    [["call", "read_file", "--session", ""], /^kept\b/m],
    [["--toolset", ""], /^readonly\b/m],
    [["--session", "kept", "call", "read_fi"], /^read_file\t/m],
    [["--mode=auto", "call", "read_file", ""], /^path=\t/m],
    [["call", "--json", "read_file", ""], /^path=\t/m],
    [["-c", "../other.json", "mcp-servers", "test", ""], /^near\b/m],
  ])("of %j", async (words, expected) => {
    await run(["call", "set_env", "key=A", "value=b", "--session", "kept"]);
    const servers = { near: { command: "true", enabled: false } };
    writeFileSync(join(cwd, "other.json"), JSON.stringify({ mcpServers: servers }));
    const printed: string[] = [];
    const log = console.log;
    console.log = (line: string) => void printed.push(line); // the library prints there
    try {
      await run(["complete", "--", ...words]);
    } finally {
      console.log = log;
    }
    expect(printed.join("\n")).toMatch(expected);
  });

  it("works in bash alone, sourced twice, and does not run what was typed", async () => {
    const program = join(import.meta.dirname, "../../bin/tenon.cjs");
    const script = [
      `tenon() { '${process.execPath}' '${program}' "$@"; }`,
      "source <(tenon completion bash); source <(tenon completion bash)",
      'ask() { COMP_WORDS=(tenon "$@"); COMP_CWORD=$#; COMPREPLY=(); __tenon_complete; echo "$*> ${COMPREPLY[*]}"; }',
      "compopt() { :; }", // only there while a person types
      "ask pol; ask call read_fi; ask call read_file pa; ask tools --toolset read; ask call '$(touch ran)' x",
      "ask call read_file path = R; ask --toolset = read",
    ].join("\n");
    const { stdout } = await promisify(execFile)("bash", ["--norc", "-c", script], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: cwd },
    });
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "pol> policy",
      expect.stringMatching(/^call read_fi> read_file read_file_truncated/),
      "call read_file pa> path=",
      "tools --toolset read> readonly",
    ]);
    expect(stdout).toContain("--toolset = read> readonly\n");
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  const hasZsh = spawnSync("zsh", ["--version"]).error === undefined;

  it.skipIf(!hasZsh)("works in zsh, completes files after an argument, and runs nothing", async () => {
    const program = join(import.meta.dirname, "../../bin/tenon.cjs");
    const script = [
      `tenon() { '${process.execPath}' '${program}' "$@"; }`,
      'compdef() { print "$@"; }; compset() { :; }; _files() { print files; }', // only there while a person types
      'compadd() { print -r -- "${argv[1,3]}" "${(P@)argv[-1]}"; }',
      "source <(tenon completion zsh)",
      'ask() { words=(tenon "$@"); CURRENT=$#words; PREFIX=$words[-1]; print -rn -- "$*> "; _tenon; }',
      "ask call read_fi; ask call read_file pa; ask call read_file path=x; ask call '$(touch ran)' x",
      "compset() { print -rn -- '-P: '; }; ask --toolset=read",
    ].join("\n");
    const { stdout } = await promisify(execFile)("zsh", ["-f", "-c", script], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: cwd },
    });
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "_tenon tenon",
      expect.stringMatching(/^call read_fi> -l -d name_lines read_file read_file_truncated/),
      "call read_file pa> -l -S  path=",
      "call read_file path=x> files",
    ]);
    expect(stdout).toContain("--toolset=read> -P: -l -d name_lines readonly\n");
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });
});

describe("Ctrl-C", () => {
  it("ends a command that waits for something that never comes", async () => {
    const interrupt = new AbortController();
    const servers = { slow: { command: "sleep", args: ["100"] } };
    writeFileSync(join(cwd, "slow.json"), JSON.stringify({ mcpServers: servers }));
    const ending = runTenon(["mcp-servers", "list", "-c", "slow.json"], {
      cwd,
      env: { TENON_STATE_DIR: join(cwd, "state") },
      interrupted: interrupt.signal,
    });
    const began = Date.now();
    interrupt.abort();
    expect(await ending).toMatchObject({ code: 1, err: expect.stringContaining("Interrupted.") as string });
    expect(Date.now() - began).toBeLessThan(underLoad(10_000));
  });
});
