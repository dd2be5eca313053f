import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runTenon, type Ended } from "./testing/run-tenon.js";

let root: string;
let workspace: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-allow-"));
  workspace = join(root, "a workspace");
  mkdirSync(workspace);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const run = (args: readonly string[]): Promise<Ended> =>
  runTenon(args, {
    cwd: root,
    env: { TENON_STATE_DIR: join(root, "state"), XDG_CONFIG_HOME: join(root, "config") },
  });

/** The words of a printed command, split by a real shell. */
function wordsOf(command: string): string[] {
  const printed = execFileSync("bash", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" });
  return printed.split("\0").slice(0, -1);
}

/** Run every command of a printed line, as if it was pasted. */
async function paste(line: string): Promise<Ended> {
  let last: Ended = { code: 0, out: "", err: "" };
  for (const command of line.split(" && ")) {
    const [program, ...words] = wordsOf(command);
    expect(program).toBe("tenon");
    last = await run(words);
    expect(last, command).toMatchObject({ code: 0 });
  }
  return last;
}

function offered({ code, err }: Ended): string {
  expect(code).toBe(err.startsWith("TOOL_DISABLED") ? 1 : 3);
  return /^To allow it: (.*)$/m.exec(err)?.[1] ?? `nothing offered: ${err}`;
}

describe("a refused call", () => {
  const write = ["call", "write_file", "path=a file.txt", "content=it's $HOME", "-w"];

  it.each([
    ["in mode ask, where nobody answers", []],
    ["in mode unattended", ["--mode", "unattended"]],
  ])("%s ends in a command that makes the same call work", async (_, mode) => {
    const call = [...write, workspace, ...mode];
    const command = offered(await run(call));
    expect(command).toMatch(/^tenon policy allow --tool write_file --path 'a file\.txt' --workspace /);
    await paste(command);
    expect(await run(call)).toMatchObject({ code: 0 });
  });

  it("in mode read-only is offered in another mode, word for word", async () => {
    await paste(offered(await run([...write, workspace, "--mode", "read-only"])));
    expect(existsSync(join(workspace, "a file.txt"))).toBe(true);
  });

  it("by a saved rule is offered the way past that rule", async () => {
    await run(["policy", "deny", "--tool", "write_file", "-w", workspace]);
    const call = [...write, workspace];
    const command = offered(await run(call));
    expect(command).toMatch(/^tenon policy revoke \S+ --workspace .* && tenon policy allow /);
    await paste(command);
    expect(await run(call)).toMatchObject({ code: 0 });
  });

  it("whose command cannot be granted for good is offered in mode auto", async () => {
    const call = ["call", "shell_exec", 'command=sh -c "echo $((20 + 22))"', "-w", workspace];
    const command = offered(await run(call));
    expect(command).toContain("--mode auto");
    expect((await paste(command)).out).toContain("42");
  });

  it("with a command and its input is offered for that input only", async () => {
    const call = (text: string) => [
      "call",
      "shell_exec",
      "command=tee out.txt",
      `stdin=${text}`,
      "-w",
      workspace,
    ];
    await paste(offered(await run(call("one"))));
    expect(await run(call("one"))).toMatchObject({ code: 0 });
    expect(await run(call("two"))).toMatchObject({ code: 3 });
  });

  it.each([
    ["path=/etc/tenon-test", "outside the workspace"],
    ["path=.git/config", "protected from changes"],
  ])("by a guard (%s) is offered no way round", async (path, reason) => {
    const { code, err } = await run([
      "call",
      "write_file",
      path,
      "content=x",
      "-w",
      workspace,
      "--mode",
      "auto",
    ]);
    expect(code).toBe(3);
    expect(err).toContain(reason);
    expect(err).not.toContain("To allow it");
  });

  it.each([
    ["mode", { mode: "read-only" }, /write_file .* && tenon call .* --mode auto$/],
    ["level", { securityLevel: "low" }, /tenon call .* --set securityLevel=high$/],
    [
      "rules of their own",
      { policy: { rules: [{ decision: "deny", tool: "write_file" }] } },
      /^tenon call .* --set 'policy\.rules=/,
    ],
  ])("by the person's %s is offered a command that works", async (_, config, expected) => {
    mkdirSync(join(root, "config", "tenon"), { recursive: true });
    writeFileSync(join(root, "config", "tenon", "config.json"), JSON.stringify(config));
    // Even mode auto asks about this file.
    const command = offered(await run(["call", "write_file", "path=.npmrc", "content=x", "-w", workspace]));
    expect(command).toMatch(expected);
    await paste(command);
    expect(existsSync(join(workspace, ".npmrc"))).toBe(true);
  });

  it.each(["user", "workspace"])(
    "whose line reads, sorts and writes is offered past a rule of the %s",
    async (whose) => {
      const rules = [{ decision: "deny", tool: "shell_exec" }];
      mkdirSync(join(root, "config", "tenon"), { recursive: true });
      const file =
        whose === "user"
          ? join(root, "config", "tenon", "config.json")
          : join(workspace, "tenon.config.json");
      writeFileSync(file, JSON.stringify({ policy: { rules } }));
      writeFileSync(join(workspace, "there.txt"), "b\na\n");
      const line = "command=cat there.txt | sort | tee sorted.txt";
      await paste(offered(await run(["call", "shell_exec", line, "-w", workspace, "--mode", "auto"])));
      expect(readFileSync(join(workspace, "sorted.txt"), "utf8")).toBe("a\nb\n");
    },
  );

  const deny = JSON.stringify([
    { decision: "deny", tool: "write_file" },
    { decision: "deny", tool: "delete_file" },
  ]);

  it.each([
    ["securityLevel=low", /--set securityLevel=high$/],
    ["mode=read-only", /--mode auto$/],
    ["mode=unattended", /^tenon policy allow/],
    [`policy.rules=${deny}`, /"allow".*"deny".*"delete_file"/],
    [`policy={"rules":${deny}}`, /"allow".*"deny".*"delete_file"/],
    ['tools.perTool={"write_file":{"enabled":false}}', / --set tools\.perTool\.write_file\.enabled=true$/],
  ])("by --set %s is offered another value of it", async (setting, expected) => {
    const call = [...write, workspace, "--set", setting];
    const command = offered(await run(call));
    expect(command).toMatch(expected);
    await paste(command);
    if (!command.includes("tenon call")) expect(await run(call)).toMatchObject({ code: 0 });
    expect(existsSync(join(workspace, "a file.txt"))).toBe(true);
  });

  it.each([
    ["write_file", ["path=closed/a file.txt", "content=x"]],
    ["write_file", ["path=closed/new/file.txt", "content=x"]],
    ["shell_exec", ["command=cat closed/there.txt"]],
    ["shell_exec", ["command=cat closed/there.txt | sort | wc -l"]],
  ])("%s by a rule about a folder is offered just that file of it: %j", async (tool, words) => {
    mkdirSync(join(root, "config", "tenon"), { recursive: true });
    const rules = [{ decision: "deny", path: "closed/**" }];
    writeFileSync(join(root, "config", "tenon", "config.json"), JSON.stringify({ policy: { rules } }));
    mkdirSync(join(workspace, "closed"));
    writeFileSync(join(workspace, "closed", "there.txt"), "there\n");
    await paste(offered(await run(["call", tool, ...words, "-w", workspace, "--mode", "auto"])));
    expect(await run(["call", "read_file", "closed/there.txt", "-w", workspace])).toMatchObject({ code: 3 });
  });

  it("by an untrusted workspace's mode and commands is offered trust and other settings", async () => {
    const config = { mode: "read-only", tools: { allowedCommands: ["git"] } };
    writeFileSync(join(workspace, "tenon.config.json"), JSON.stringify(config));
    const command = offered(await run(["call", "shell_exec", "command=touch x; ls", "-w", workspace]));
    expect(command).toMatch(
      /^tenon trust --workspace .* && tenon call .* --mode auto --set 'tools\.allowedCommands=/,
    );
    expect((await paste(command)).out).toContain("x");
  });

  it("is offered with every character of its words, and with its own options", async () => {
    const content = "it's \n\t\u001b[1m⟨ \\ p\u0430ypal\u202e 中文";
    const call = [
      "call",
      "write_file",
      "path=x",
      `content=${content}`,
      "final_newline=false",
      "--task",
      "a task",
    ];
    const command = offered(await run([...call, "--mode", "read-only", "-w", workspace]));
    // oxlint-disable-next-line no-control-regex -- what a terminal must not get
    expect(command).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(command).toContain(" --task 'a task'");
    await paste(command);
    expect(readFileSync(join(workspace, "x"), "utf8")).toBe(content);
  });

  it("of a tool that the toolset leaves out is offered without the toolset", async () => {
    const ended = await run([...write, workspace, "--toolset", "readonly"]);
    expect(ended.err).toContain("TOOL_NOT_FOUND");
    const command = offered({ ...ended, code: 3 });
    expect(command).not.toContain("--toolset");
    await paste(command);
    expect(existsSync(join(workspace, "a file.txt"))).toBe(true);
  });

  it("is offered with words that look like options", async () => {
    writeFileSync(join(workspace, "-x"), "");
    const command = offered(
      await run(["call", "delete_file", "-w", workspace, "--mode", "read-only", "--", "-x"]),
    );
    await paste(command);
    expect(existsSync(join(workspace, "-x"))).toBe(false);
  });

  it("in unattended mode by a guard names the guard, not a rule that would not help", async () => {
    const { err } = await run([
      "call",
      "write_file",
      "path=/etc/x",
      "content=x",
      "-w",
      workspace,
      "--mode",
      "unattended",
    ]);
    expect(err).toContain("PATH_OUTSIDE");
    expect(err).not.toMatch(/rule|To allow it/);
  });
});
