import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
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
  runTenon(args, { cwd: root, env: { TENON_STATE_DIR: join(root, "state") } });

/** The words of a printed command, split by a real shell. */
function wordsOf(command: string): string[] {
  const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" });
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
  expect(code).toBe(3);
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
});
