import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { underLoad } from "./setup/under-load.js";

const bin = resolve(import.meta.dirname, "../bin/tenon.cjs");
let root: string;
let workspace: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-cli-"));
  workspace = join(root, "workspace");
  mkdirSync(workspace);
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function tenon(
  args: readonly string[],
  options: { stdin?: string; env?: Record<string, string>; onStart?: (kill: () => void) => void } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: workspace,
    env: { PATH: process.env["PATH"], HOME: root, TENON_STATE_DIR: join(root, "state"), ...options.env },
  });
  child.stdin.end(options.stdin ?? "");
  options.onStart?.(() => child.kill("SIGINT"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((done) => child.on("close", (code) => done({ code, stdout, stderr })));
}

describe("tenon", () => {
  it.each([
    ["Etc/UTC", "UTC"],
    ["Asia/Shanghai", "Asia/Shanghai"],
    ["/usr/share/zoneinfo/Asia/Kolkata", "+05:30"],
    ["Nowhere/Land", "UTC"],
  ])("tells the time where TZ is %s", async (TZ, timezone) => {
    const { stdout } = await tenon(["call", "current_time", "--json"], { env: { TZ } });
    expect(JSON.parse(stdout)).toMatchObject({ success: true, result: { timezone } });
  });

  // Only root can start a program as a user that the machine does not know.
  it.runIf(process.getuid?.() === 0)("says that a user without a home needs one", () => {
    const args = ["--reuid", "54321", "--regid", "54321", "--clear-groups"];
    const env = { PATH: process.env["PATH"] };
    const { status, stderr } = spawnSync("setpriv", [...args, process.execPath, bin, "tools"], {
      cwd: "/",
      env,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        "tenon: This user has no home folder. Set HOME to a folder for the configuration and the state.\n",
    });
  });
});

describe("tenon call", () => {
  it("exits 0 and prints the result alone", async () => {
    const { code, stdout, stderr } = await tenon(["call", "base64_encode", "text=hi"]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "aGk=\n", stderr: "" });
  });

  it("takes one JSON object, pairs by the schema's types, or standard input", async () => {
    const json = await tenon(["call", "json_stringify", '{"data":[1,2]}']);
    const pairs = await tenon(["call", "json_stringify", "data=[1,2]", "pretty=false"]);
    const stdin = await tenon(["call", "json_stringify", "-"], { stdin: '{"data":[1,2]}' });
    expect([json.stdout, pairs.stdout, stdin.stdout]).toEqual(["[1,2]\n", "[1,2]\n", "[1,2]\n"]);
  });

  it("keeps a text that looks like a number where the tool takes text", async () => {
    const { stdout } = await tenon(["call", "base64_encode", "text=123"]);
    expect(stdout).toBe("MTIz\n");
  });

  it("prints the envelope with --json", async () => {
    const { stdout } = await tenon(["call", "base64_encode", "text=hi", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      success: true,
      toolName: "base64_encode",
      result: { encoded: "aGk=" },
    });
  });

  it("exits 1 where the tool fails, with the code, the reason and the way out on standard error", async () => {
    const { code, stdout, stderr } = await tenon(["call", "json_parse", "text={"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/VALUE_INVALID: .*line 1/);
  });

  it("exits 1 for an unknown tool and names the nearest", async () => {
    const { code, stderr } = await tenon(["call", "curent_time"]);
    expect(code).toBe(1);
    expect(stderr).toContain('Did you mean "current_time"?');
  });

  it.each([
    [["call"], /missing required argument/],
    [["call", "sleep", "{bad"], /Invalid JSON in the arguments/],
    [["call", "write_file", "note.txt"], /Did you mean path=note.txt\?/],
    [["call", "sleep", "duration=1", "duration=2"], /twice/],
    [["call", "sleep", "duration=1", "--timeout", "soon"], /--timeout/],
    [["frobnicate"], /unknown command/],
    [["tools", "--category", "fils"], /Did you mean "file"/],
    [["call", "sleep", "--toolset", "readnly", "duration=0"], /readonly/],
    [["tools", "--mode", "yolo"], /mode/],
  ])("exits 2 for the usage %j", async (args, message) => {
    const { code, stderr } = await tenon(args);
    expect({ code, stderr: message.test(stderr) ? message : stderr }).toEqual({ code: 2, stderr: message });
  });

  it("exits 3 where nobody can consent", async () => {
    const { code, stderr } = await tenon(["call", "set_env", "key=PATH", "value=/evil"]);
    expect(code).toBe(3);
    expect(stderr).toContain("Access denied");
  });

  it("remembers a session's environment between processes, and keeps sessions apart", async () => {
    await tenon(["call", "set_env", "key=GREETING", "value=moin", "--session", "one"]);
    const one = await tenon(["call", "get_env", "key=GREETING", "--session", "one", "--json"]);
    const two = await tenon(["call", "get_env", "key=GREETING", "--session", "two", "--json"]);
    expect(JSON.parse(one.stdout)).toMatchObject({ result: { value: "moin" } });
    expect(JSON.parse(two.stdout)).toMatchObject({ result: { value: null } });
  });

  it("ends at once when it is interrupted, and says so", async () => {
    const begun = Date.now();
    const { code } = await tenon(
      ["call", "shell_exec", "command=touch started; sleep 60", "--mode", "auto"],
      {
        onStart(kill) {
          const looking = setInterval(() => {
            // The command runs on a layer, which lies in the state.
            const { stdout } = spawnSync("find", [join(root, "state"), "-name", "started"]);
            if (stdout.length === 0) return;
            clearInterval(looking);
            kill();
          }, 50);
        },
      },
    );
    expect(code).toBe(130);
    expect(Date.now() - begun).toBeLessThan(underLoad(40_000));
  });
});

describe("tenon tools", () => {
  it("lists what a toolset shows", async () => {
    const { stdout } = await tenon(["tools", "--toolset", "readonly", "--json"]);
    const names = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
    expect(names).toContain("current_time");
    expect(names).not.toContain("set_env");
  });

  it("is plain text when piped", async () => {
    const { stdout } = await tenon(["tools"]);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toMatch(/^ {2}current_time /m);
  });

  it("shows one tool in full", async () => {
    const { stdout } = await tenon(["tools", "sleep"]);
    expect(stdout).toMatch(/^ {2}duration +number, required/m);
  });
});

describe("tenon policy", () => {
  it("remembers rules, lists them, decides by them and forgets them", async () => {
    const denied = await tenon(["policy", "deny", "--tool", "sleep", "--reason", "no naps", "--json"]);
    const { id } = JSON.parse(denied.stdout) as { id: string };
    expect((await tenon(["policy", "list"])).stdout).toContain(id);
    const refused = await tenon(["call", "sleep", "duration=0"]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("no naps");
    expect((await tenon(["policy", "revoke", id])).code).toBe(0);
    expect((await tenon(["call", "sleep", "duration=0"])).code).toBe(0);
    expect((await tenon(["policy", "revoke", id])).code).toBe(1);
  });

  it("explains JSONL line by line and runs nothing", async () => {
    const calls = [
      { tool: "current_time", arguments: {} },
      { tool: "set_env", arguments: { key: "X", value: "1" } },
      { tool: "nope", arguments: {} },
    ];
    const stdin = `${calls.map((call) => JSON.stringify(call)).join("\n")}\nnot json\n`;
    const { stdout, code } = await tenon(["policy", "explain", "--json"], { stdin });
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { decision: string; rule: string; reason: string });
    expect(code).toBe(0);
    expect(answers.map(({ decision }) => decision)).toEqual(["allow", "allow", "deny", "deny"]);
    expect(answers.every(({ rule, reason }) => rule !== "" && reason !== "")).toBe(true);
    const after = await tenon(["call", "get_env", "key=X", "--json"]);
    expect(JSON.parse(after.stdout)).toMatchObject({ result: { value: null } });
  });

  it("asks for something to match", async () => {
    expect((await tenon(["policy", "allow"])).code).toBe(2);
  });
});

describe("tenon trust", () => {
  it("lets a workspace's configuration only tighten until it is trusted, and again after a change", async () => {
    writeFileSync(
      join(workspace, "tenon.config.json"),
      JSON.stringify({ mode: "auto", secrets: { allowEnv: ["MY_TOKEN"] } }),
    );
    const before = await tenon(["call", "set_env", "key=MY_TOKEN", "value=x"]);
    expect(before.code).toBe(3);
    expect(before.stderr).toContain("tenon trust");
    expect((await tenon(["trust"])).stdout).toContain("Trusted");
    expect((await tenon(["call", "set_env", "key=MY_TOKEN", "value=x"])).code).toBe(0);
    writeFileSync(join(workspace, "tenon.config.json"), JSON.stringify({ secrets: { allowEnv: ["*"] } }));
    expect((await tenon(["call", "set_env", "key=MY_TOKEN", "value=x"])).code).toBe(3);
  });

  it("reports a bad configuration with file, line and the nearest key, and exits 2", async () => {
    writeFileSync(join(workspace, "tenon.config.yml"), "tools:\n  timout: 5\n");
    const { code, stderr } = await tenon(["tools"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/tenon\.config\.yml:2.*timeout/s);
  });
});

describe("tenon doctor", () => {
  it("finds everything well, as text and as JSON", async () => {
    const { code, stdout } = await tenon(["doctor", "--json"]);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { status: string }[]).filter(({ status }) => status === "fail")).toEqual(
      [],
    );
    expect((await tenon(["doctor"])).stdout).toContain("workspace");
  });

  it("mentions a damaged database that an earlier start set aside", async () => {
    await tenon(["memory", "--json"]);
    const dir = readdirSync(join(root, "state")).find((name) => /^[0-9a-f]{32}$/.test(name)) ?? "";
    writeFileSync(join(root, "state", dir, "state.db"), "no database any more".repeat(50));
    expect((await tenon(["memory", "--json"])).stderr).toContain("set aside");
    const found = JSON.parse((await tenon(["doctor", "--json"])).stdout) as { message: string }[];
    expect(found.map(({ message }) => message).join("\n")).toMatch(
      /moved to .*state\.db\.damaged-.*delete it/,
    );
  });
});

describe("tenon itself", () => {
  it("prints its version, its help and completion scripts", async () => {
    expect((await tenon(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await tenon(["--help"])).stdout).toContain("Use tools:");
    const script = await tenon(["completion", "bash"]);
    expect(script.code).toBe(0);
    expect(script.stdout).toContain("complete");
    expect((await tenon(["complete", "--", "pol"])).stdout).toContain("policy");
  });
});
