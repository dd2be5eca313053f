import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Tenon } from "../src/index.js";
import { open, type Fixture } from "./spine-fixture.js";

let base: string;
let disk: string;
let fixture: Fixture;
const isRoot = process.getuid?.() === 0;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-hazard-")));
  disk = join(base, "disk");
  for (const dir of [disk, join(base, "workspace")]) mkdirSync(dir);
  if (isRoot) execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk]);
  fixture = { workspace: join(base, "workspace"), stateDir: join(disk, "state") };
});

afterEach(() => {
  if (isRoot) execFileSync("umount", ["-l", disk]);
  rmSync(base, { recursive: true, force: true });
});

/** Rights mean nothing to root, a disk that is mounted read-only does. */
function setWritable(writable: boolean): void {
  if (isRoot) {
    execFileSync("mount", ["-o", `remount,${writable ? "rw" : "ro"}`, disk]);
    return;
  }
  const dirs = readdirSync(disk, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  for (const entry of dirs) chmodSync(join(entry.parentPath, entry.name), writable ? 0o700 : 0o500);
}

/** Every kind of state that a tool writes. */
const calls: readonly (readonly [string, (n: number) => object])[] = [
  ["save_insight", (n) => ({ title: `t${n}`, content: "c" })],
  ["save_issue", (n) => ({ title: `t${n}`, content: "c" })],
  ["snippet_save", (n) => ({ name: `s${n}`, code: "x" })],
  ["create_requirement", (n) => ({ id: `R${n}`, title: "t", description: "d", priority: "high" })],
  ["create_task", (n) => ({ id: `T${n}`, title: "t", description: "d" })],
  ["save_prd_doc", (n) => ({ content: `text ${n}` })],
  ["start_iteration", (n) => ({ name: `i${n}` })],
  ["goto_stage", () => ({ stage_name: "idea" })],
];

async function callAll(tenon: Tenon, n: number): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  for (const [name, args] of calls) {
    const { error } = await tenon.call({ name, arguments: args(n) });
    outcomes[name] = error?.code ?? "done";
  }
  outcomes["set_env"] = await setInNamedSession(tenon, n);
  outcomes["remember"] = await tenon.remember({ decision: "allow", tool: `tool_${n}` }).then(
    () => "done",
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );
  return outcomes;
}

/** A session with a name outlives the process, and so must what is set in it. */
async function setInNamedSession(tenon: Tenon, n: number): Promise<string> {
  try {
    const session = await tenon.openNamedSession("kept");
    const { error } = await session.call({ name: "set_env", arguments: { key: "COUNT", value: String(n) } });
    return error?.code ?? "done";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** What a Tenon that is started afterwards finds. */
async function found(tenon: Tenon): Promise<object> {
  const { memories, snippets, plan, pipeline } = tenon.work;
  return {
    memories: await memories.count(),
    snippets: (await snippets.names()).length,
    requirements: (await plan.requirements()).length,
    tasks: (await plan.tasks()).length,
    iterations: (await pipeline.iterations()).length,
  };
}

const allDone = Object.fromEntries(
  [...calls.map(([name]) => name), "set_env", "remember"].map((name) => [name, "done"]),
);

/** None may say that it was done. */
function expectErrors(outcomes: Record<string, string>): void {
  for (const [name, code] of Object.entries(outcomes)) {
    expect(["STATE_UNAVAILABLE", "FILE_IO", "AUDIT_UNAVAILABLE"], name).toContain(code);
  }
}

describe("state-writing tools", { timeout: 120_000 }, () => {
  it("fail clearly on a read-only disk, and work again when it can be written", async () => {
    const first = open({}, fixture);
    expect(await callAll(first, 1)).toEqual(allDone);
    await first.close();
    setWritable(false);
    const tenon = open({}, fixture);
    expectErrors(await callAll(tenon, 2));
    setWritable(true);
    expect(await callAll(tenon, 3)).toEqual(allDone);
    await tenon.close();
    const later = open({}, fixture);
    expect(await found(later)).toMatchObject({ memories: 4, snippets: 2, requirements: 2, tasks: 2 });
    await later.close();
  });

  it("fail clearly where the state's directory vanishes under them, and work after a new start", async () => {
    const tenon = open({}, fixture);
    expect(await callAll(tenon, 1)).toEqual(allDone);
    rmSync(fixture.stateDir, { recursive: true });
    expectErrors(await callAll(tenon, 2));
    await tenon.close().catch(() => {});
    const later = open({}, fixture);
    expect(await callAll(later, 3)).toEqual(allDone);
    expect(await found(later)).toMatchObject({ memories: 2, snippets: 1, requirements: 1, tasks: 1 });
    await later.close();
  });

  it("fail clearly where the directory cannot be made, and work when it can", async () => {
    writeFileSync(fixture.stateDir, "in the way");
    const tenon = open({}, fixture);
    expectErrors(await callAll(tenon, 1));
    rmSync(fixture.stateDir);
    expect(await callAll(tenon, 2)).toEqual(allDone);
    await tenon.close();
  });
});
