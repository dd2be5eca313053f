import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { readTree, startTicksOf } from "./process-table.js";
import { runningCheck, stopTree } from "./stop-tree.js";

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function startGroup(): Promise<number> {
  const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  children.push(child);
  await once(child, "spawn");
  return child.pid ?? 0;
}

const tree = { tag: "", sandboxed: false };

describe("a process that got the number of the root of a tree", () => {
  it("is not part of the tree, and neither is its group", async () => {
    const pid = await startGroup();
    expect(await readTree({ ...tree, pid, rootTicks: startTicksOf(pid) })).toMatchObject([{ pid }]);
    expect(await readTree({ ...tree, pid, rootTicks: startTicksOf(pid) - 1 })).toEqual([]);
    expect(await readTree({ ...tree, pid, rootTicks: 0 })).toEqual([]);
  });

  it("is not stopped with what is left of the tree", async () => {
    const [other, left] = [await startGroup(), await startGroup()];
    const isLeft = runningCheck(left);
    const isOther = runningCheck(other);
    const group = { members: () => (isLeft() ? [left] : []) };
    await stopTree({ ...tree, pid: other, group, rootTicks: 0 }, 200);
    expect([isLeft(), isOther()]).toEqual([false, true]);
  });

  it("does not count as the process that ran before", async () => {
    const pid = await startGroup();
    const isRunning = runningCheck(pid);
    expect(isRunning()).toBe(true);
    process.kill(pid, "SIGKILL");
    await expect.poll(isRunning).toBe(false);
  });
});
