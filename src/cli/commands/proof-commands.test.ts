import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createFixture, open, type Fixture } from "../../../test/spine-fixture.js";
import { runTenon, type Ended } from "../testing/run-tenon.js";

let fixture: Fixture;

beforeEach(() => {
  fixture = createFixture();
});

const tenon = (...args: string[]): Promise<Ended> =>
  runTenon(args, { cwd: fixture.workspace, env: { TENON_STATE_DIR: fixture.stateDir } });

async function work(): Promise<void> {
  const runtime = open({ config: { stateDir: fixture.stateDir, mode: "auto" } }, fixture);
  const session = runtime.createSession({ agent: "coder", taskId: "T1" });
  writeFileSync(join(fixture.workspace, "a.txt"), "before\n");
  await session.call({ name: "read_file", arguments: { path: "a.txt" } });
  await session.call({ name: "write_file", arguments: { path: "a.txt", content: "after swordfish-9\n" } });
  await session.call({ name: "read_file", arguments: { path: "/etc/shadow" } });
  await runtime.close();
}

const log = (): string => {
  const key = readdirSync(fixture.stateDir).find((name) => /^[0-9a-f]{32}$/.test(name)) ?? "";
  return join(fixture.stateDir, key, "audit", "00000000.jsonl");
};

describe("the commands that prove what happened", () => {
  it("lists, filters, shows and exports calls", async () => {
    await work();
    expect((await tenon("log")).out).toMatch(/TIME .*\n(?:.*\n)*.*denied.*read_file/);
    const denied = await tenon("log", "--outcome", "denied", "--tool", "read_*", "--since", "1h", "--json");
    const record = JSON.parse(denied.out) as { callId: string; error: { code: string } };
    expect(record.error.code).toBe("PATH_OUTSIDE");
    expect((await tenon("log", "show", record.callId)).out).toContain("/etc/shadow");
    expect((await tenon("log", "show", "nothing")).code).toBe(1);
    const lines = (await tenon("log", "export", "--task", "T1")).out.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 3, 4]);
    expect((await tenon("log", "--since", "yesterdayish")).code).toBe(2);
  });

  it("verifies against a noted head, and names the first bad record", async () => {
    await work();
    const head = (await tenon("log", "head")).out.trim();
    expect(head).toMatch(/^\d+:[0-9a-f]{64}$/);
    expect(await tenon("log", "verify", "--head", head)).toMatchObject({ code: 0 });
    writeFileSync(log(), readFileSync(log(), "utf8").replace("swordfish", "swordfisH"));
    expect(await tenon("log", "verify")).toMatchObject({
      code: 1,
      err: expect.stringContaining("Record 2 is invalid") as string,
    });
  });

  it("previews and undoes by task and by time, and asks nobody where nobody is", async () => {
    await work();
    expect((await tenon("undo", "--task", "T1", "--preview")).out).toContain("-after swordfish-9\n+before");
    expect((await tenon("undo", "--last")).code).toBe(2);
    expect((await tenon("undo")).code).toBe(2);
    expect(await tenon("undo", "--since", "1h", "--yes")).toMatchObject({ code: 0, out: "Undone: a.txt\n" });
    expect(readFileSync(join(fixture.workspace, "a.txt"), "utf8")).toBe("before\n");
    expect((await tenon("undo", "--since", "1h", "--yes")).code).toBe(1);
    // What a person does is on record too: who, what and which files.
    const [act] = (await tenon("log", "--tool", "undo", "--json")).out.trimEnd().split("\n");
    expect(JSON.parse(act ?? "")).toMatchObject({
      act: "cli",
      agent: "person",
      userId: expect.any(String) as string,
      outcome: "success",
      start: expect.any(Number) as number,
      arguments: { since: expect.any(Number) as number },
      result: { files: [{ path: "a.txt" }] },
    });
    expect((await tenon("log", "verify")).code).toBe(0);
  });

  it("looks back on a task in another process than the one that did it", async () => {
    await work();
    const { code, out } = await tenon("reflect", "T1");
    expect(code).toBe(0);
    expect(out).toMatch(/^replan: 2 of 3 calls succeeded/);
    expect(JSON.parse((await tenon("reflect", "T1", "--json")).out)).toMatchObject({
      taskId: "T1",
      verdict: "replan",
      toolFailures: [{ toolName: "read_file", code: "PATH_OUTSIDE" }],
    });
    expect((await tenon("reflect", "nothing")).code).toBe(1);
  });

  it("reports on standard error that nothing is recorded if the state cannot be written", async () => {
    await work();
    const dir = dirname(log());
    rmSync(dir, { recursive: true });
    writeFileSync(dir, "a file where the folder of the log should be");
    const read = await tenon("call", "json_parse", "text={}");
    expect(read.code).toBe(0);
    expect(read.err.match(/Read-only calls continue without a record/g)).toHaveLength(1);
    expect(read.err).toContain("TENON_STATE_DIR");
    const write = await tenon("call", "write_file", "path=b.txt", "content=x", "--mode", "auto");
    expect(write.code).toBe(1);
    expect(write.err).toContain("AUDIT_UNAVAILABLE");
    expect(readdirSync(fixture.workspace)).toEqual(["a.txt"]);
  });

  it("replays a task and writes JUnit; a difference ends with 1", async () => {
    await work();
    const same = await tenon("replay", "T1", "--mode", "auto", "--junit", "out.xml");
    expect(same).toMatchObject({ code: 0, out: expect.stringContaining("3 same") as string });
    expect(readFileSync(join(fixture.workspace, "out.xml"), "utf8")).toContain('tests="3" failures="0"');
    const asked = await tenon("replay", "T1", "--mode", "read-only", "--json");
    expect(asked.code).toBe(1);
    expect(JSON.parse(asked.out)).toMatchObject({ same: false });
  });

  it("says which past calls other rules would have decided otherwise", async () => {
    await work();
    writeFileSync(join(fixture.workspace, "rules.yaml"), "- decision: deny\n  tool: write_file\n");
    const { out, code } = await tenon("policy", "simulate", "--rules", "rules.yaml", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      calls: 3,
      changed: 1,
      changes: [{ tool: "write_file", from: "allow", to: "deny", calls: 1 }],
    });
  });

  it("shows what a command changed, and judges it by path", async () => {
    const sandbox = { layers: { enabled: true } };
    const runtime = open({ config: { stateDir: fixture.stateDir, mode: "auto", sandbox } }, fixture);
    writeFileSync(
      join(fixture.workspace, "run.sh"),
      "mkdir -p docs; echo new >docs/a.md; seq 5000 >docs/b.md",
    );
    const { callId } = await runtime.call({ name: "shell_exec", arguments: { command: "sh run.sh" } });
    await runtime.close();
    const shown = await tenon("log", "show", callId);
    expect(shown.out).toMatch(/\ndiff\n--- \/dev\/null\n\+\+\+ b\/docs\/a\.md\n@@.*\n\+new\n/);
    writeFileSync(
      join(fixture.workspace, "rules.yaml"),
      "- { id: docs, decision: deny, path: 'docs/**', access: write }\n",
    );
    const { out } = await tenon("policy", "simulate", "--rules", "rules.yaml", "--json", "--mode", "auto");
    expect(JSON.parse(out)).toMatchObject({
      changes: [
        { tool: "shell_exec", from: "allow", to: "deny", rule: "docs", paths: ["docs/a.md", "docs/b.md"] },
      ],
    });
    expect((await tenon("undo", "--call", callId, "--yes")).code).toBe(0);
    expect(readdirSync(fixture.workspace).toSorted()).toEqual(["rules.yaml", "run.sh"]);
  });

  it("purges a secret from everywhere, and the log still verifies", async () => {
    await work();
    writeFileSync(join(fixture.workspace, "secrets.txt"), "swordfish-9\n");
    const request = ["state", "purge", "--secret-file", "secrets.txt", "--journal", "--json"];
    const looked = await tenon(...request, "--dry-run");
    const found = JSON.parse(looked.out) as object;
    expect(found).toMatchObject({ records: 1 });
    const refused = await tenon(...request);
    expect(refused.code).toBe(2);
    expect(JSON.parse(refused.out)).toMatchObject({
      error: { message: expect.stringMatching(/--yes/) as string },
    });
    expect(refused.err).toMatch(/This will purge 1 records/);
    expect(readFileSync(log(), "utf8")).toContain("swordfish");
    const purged = await tenon(...request, "--yes");
    expect(JSON.parse(purged.out)).toEqual(found);
    expect(readFileSync(log(), "utf8")).not.toContain("swordfish");
    expect((await tenon("log", "verify")).code).toBe(0);
    expect((await tenon("state", "purge")).code).toBe(2);
    expect((await tenon("state", "purge", "--match", "ab")).code).toBe(2);
  });
});
