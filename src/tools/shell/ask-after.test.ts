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
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolEnvelope } from "../../contract/call.js";
import type { ApprovalAnswer, ApprovalRequest } from "../../contract/ports/interact.js";
import { createTenon } from "../../runtime/create-tenon.js";
import type { Tenon } from "../../runtime/tenon.js";
import type { TenonConfig } from "../../config/config-schema.js";
import { snapshot } from "../../world/journal/testing/snapshot.js";
import type { ShellResult } from "./shell-result.js";

let root: string;
let workspace: string;
let tenon: Tenon;
let asked: ApprovalRequest[];
/** What the person answers; it can look at the workspace first. */
let answer: (request: ApprovalRequest) => ApprovalAnswer | boolean | Promise<boolean>;

function open(config: TenonConfig = {}): void {
  tenon = createTenon({
    workspace,
    config: {
      stateDir: join(root, "state"),
      mode: "ask",
      shell: { askAfter: true },
      sandbox: { layers: { enabled: true } },
      ...config,
    },
    env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/bash" },
    home: root,
    interact: {
      approve(request) {
        asked.push(request);
        return answer(request);
      },
    },
  });
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-ask-after-")));
  workspace = join(root, "work");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "a.txt"), "one\n");
  asked = [];
  answer = () => true;
});
afterEach(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

function sh(command: string, more: Record<string, unknown> = {}): Promise<ToolEnvelope<ShellResult>> {
  return tenon.call({ name: "shell_exec", arguments: { command, ...more } });
}

/** Run a script, of which the line says nothing. */
function script(text: string): Promise<ToolEnvelope<ShellResult>> {
  writeFileSync(join(workspace, "script.sh"), text);
  return sh("sh script.sh");
}

const read = (path: string): string => readFileSync(join(workspace, path), "utf8");

describe("a command that is asked about with what it changed", () => {
  it("runs on a layer first, and a yes commits it; the record says what was asked and what changed", async () => {
    open();
    let then: string | undefined;
    answer = () => {
      then = read("a.txt");
      return true;
    };
    const done = await sh("echo two >>a.txt; echo new >b.txt; node -e 'process.exit(3)'");
    expect(then).toBe("one\n");
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      toolName: "shell_exec",
      afterRun: true,
      preview: {
        summary: expect.stringContaining("Commit its 2 changes"),
        diff: expect.stringContaining("+two"),
        details: {
          changes: [
            { path: "a.txt", change: "changed", added: 1 },
            { path: "b.txt", change: "added" },
          ],
        },
      },
    });
    expect(done.result).toMatchObject({ exitCode: 3, committed: "all" });
    expect([read("a.txt"), read("b.txt")]).toEqual(["one\ntwo\n", "new\n"]);
    const [record] = await tenon.audit.search({ tool: "shell_exec" });
    expect(record).toMatchObject({
      decision: { behavior: "ask", reason: expect.stringContaining("it runs on a layer first") },
      approval: { verdict: "once", channel: "callback" },
      result: { committed: "all", changes: [{ path: "a.txt" }, { path: "b.txt" }] },
    });
    await tenon.undo({ callId: done.callId });
    expect([read("a.txt"), existsSync(join(workspace, "b.txt"))]).toEqual(["one\n", false]);
  });

  it("is discarded after a no, and the record says both", async () => {
    open();
    const before = snapshot(workspace);
    answer = () => ({ verdict: "no", reason: "not this" });
    const refused = await sh("echo two >>a.txt; rm -rf /tmp/none");
    expect(refused.error).toMatchObject({
      code: "APPROVAL_DENIED",
      message: expect.stringContaining("not this"),
      hint: expect.stringContaining("its changes were discarded"),
      details: { discarded: [{ path: "a.txt", kind: "changed" }] },
    });
    expect(snapshot(workspace)).toEqual(before);
    expect(await tenon.layers.list()).toEqual([]);
    const [record] = await tenon.audit.search({ tool: "shell_exec" });
    expect(record).toMatchObject({
      outcome: "denied",
      approval: { verdict: "no" },
      error: { details: { discarded: [{ path: "a.txt" }] } },
    });
  });

  it("asks nobody if nothing changed, and returns the output", async () => {
    open();
    const done = await sh("node -e 'console.log(6 * 7)'");
    expect(done.result).toMatchObject({ stdout: "42\n", exitCode: 0 });
    expect(asked).toEqual([]);
  });

  it("sees neither the network of the session nor files that need consent, and writes no other folder", async () => {
    const other = join(root, "other");
    mkdirSync(other);
    writeFileSync(join(workspace, ".env"), "TOKEN=1\n");
    open({ sandbox: { layers: { enabled: true }, writable: [other] } });
    const started = await sh(
      `node -e 'require("http").createServer((q, s) => s.end("reached")).listen(8123)'`,
      { background: true },
    );
    expect(started).toSucceed();
    expect(asked.at(-1)?.afterRun).toBeUndefined();
    const curl = `node -e 'fetch("http://127.0.0.1:8123").then((r) => r.text()).then(console.log, () => console.log("refused"))'`;
    const tried = await sh(
      `${curl}; node -e 'console.log(require("fs").readFileSync(".env", "utf8").length)'; touch ${other}/x`,
    );
    expect(tried.result?.stdout).toBe("refused\n0\n");
    expect(existsSync(join(other, "x"))).toBe(false);
    expect(tried.content.map((part) => (part.type === "text" ? part.text : "")).join()).toContain(".env");
    expect(asked).toHaveLength(1);
  });

  it("asks before the run where a rule asks, a host is named, or the line names a careful path", async () => {
    open({ policy: { rules: [{ id: "care", decision: "ask", tool: "shell_exec", command: "rm *" }] } });
    answer = () => false;
    await sh("rm a.txt");
    await sh("node x.js", { network: ["example.org"] });
    await sh("echo a=b >.npmrc");
    await sh("cat .env; touch x");
    expect(asked.map(({ afterRun }) => afterRun)).toEqual([undefined, undefined, undefined, undefined]);
    expect(read("a.txt")).toBe("one\n");
  });

  it("commits careful paths with the yes, and still holds back what other programs run", async () => {
    open();
    mkdirSync(join(workspace, ".git"));
    writeFileSync(join(workspace, ".git/HEAD"), "ref: refs/heads/main\n");
    const done = await script("echo a=b >.npmrc; mkdir -p .git/hooks; echo x >.git/hooks/pre-commit");
    expect(asked).toHaveLength(1);
    expect(asked[0]?.preview?.details).toMatchObject({
      changes: expect.arrayContaining([expect.objectContaining({ path: ".npmrc" })]),
      heldBack: [{ path: expect.stringContaining(".git/hooks") }],
    });
    expect(read(".npmrc")).toBe("a=b\n");
    expect(existsSync(join(workspace, ".git/hooks/pre-commit"))).toBe(false);
    expect(done.result).toMatchObject({ committed: "part", heldBackBy: done.callId });
  });

  it("finds what others changed while the person was thinking", async () => {
    open();
    answer = () => {
      writeFileSync(join(workspace, "a.txt"), "theirs\n");
      return true;
    };
    const done = await sh("echo two >>a.txt; echo b >b.txt");
    expect(done.result).toMatchObject({ committed: "part", conflicts: [{ path: "a.txt" }] });
    expect([read("a.txt"), read("b.txt")]).toEqual(["theirs\n", "b\n"]);
  });

  it("remembers an always for the command, which then runs and commits unasked", async () => {
    open();
    answer = () => ({ verdict: "always" });
    await sh("cp a.txt b.txt");
    expect(asked[0]?.alwaysRule).toContain("cp");
    await sh("cp a.txt b.txt && cp a.txt b.txt");
    expect(asked).toHaveLength(1);
  });

  it("does not take other arguments once it has run", async () => {
    open();
    answer = ({ fault }) =>
      fault === undefined
        ? { verdict: "once", updatedArguments: { command: "rm a.txt" } }
        : { verdict: "no" };
    const refused = await sh("echo two >>a.txt");
    expect(asked.at(-1)?.fault).toContain("has already run");
    expect(refused.error?.code).toBe("APPROVAL_DENIED");
    expect(read("a.txt")).toBe("one\n");
  });

  it("keeps the changes if nobody answers in time", async () => {
    open({ approvals: { timeoutMs: 300 } });
    answer = () => new Promise(() => {});
    const late = await sh("echo two >>a.txt");
    expect(late.error?.code).toBe("APPROVAL_EXPIRED");
    expect(read("a.txt")).toBe("one\n");
    const [kept] = await tenon.layers.list({ callId: late.callId });
    expect(kept?.reason).toBe("nobody consented to it");
    await tenon.layers.commit(kept?.id ?? "");
    expect(read("a.txt")).toBe("one\ntwo\n");
  });

  it("runs a dry run unasked, and refuses to run anything if nobody can be asked", async () => {
    open();
    const dry = await sh("echo two >>a.txt", { dry_run: true });
    expect(dry.result).toMatchObject({ committed: "none", dryRun: true });
    expect(asked).toEqual([]);
    await tenon.close();
    tenon = createTenon({
      workspace,
      config: {
        stateDir: join(root, "state"),
        mode: "ask",
        shell: { askAfter: true },
        sandbox: { layers: { enabled: true } },
      },
      env: { PATH: process.env["PATH"], HOME: root },
      home: root,
    });
    expect((await sh("echo two >>a.txt")).error?.code).toBe("APPROVAL_UNAVAILABLE");
  });

  it("asks before the run where there is no layer", async () => {
    open({ sandbox: { layers: { enabled: false } } });
    await sh("echo two >>a.txt");
    expect(asked.map(({ afterRun }) => afterRun)).toEqual([undefined]);
    expect(read("a.txt")).toBe("one\ntwo\n");
  });
});
