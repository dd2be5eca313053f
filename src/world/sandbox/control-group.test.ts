import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { Running } from "../processes/launch.js";
import { limitWarnings } from "../processes/limit-warnings.js";
import type { PreparedCommand } from "../processes/prepare-command.js";
import { createCommandGroups } from "./command-group.js";
import { openControlGroup } from "./control-group.js";
import { scratchName } from "./scratch-folders.js";

it("leaves the groups of processes that cannot be seen from here, and removes those of killed ones", async () => {
  const limits = { memory: undefined, processes: 10 };
  const first = await openControlGroup(limits);
  const [dir] = first.dirs;
  // Without permission to create groups there is nothing to leave or remove.
  if (dir === undefined) return expect(first.reason).toContain("no control group for processes");
  const { pid: dead } = spawnSync("true");
  const [ofDead, elsewhere] = [
    scratchName().replace(String(process.pid), String(dead)),
    `tenon-sandbox-${dead}-1234567-`,
  ].map((name) => join(dirname(dir), `${name}abc`)) as [string, string];
  for (const path of [ofDead, elsewhere]) mkdirSync(path);
  const second = await openControlGroup(limits);
  expect([dir, ofDead, elsewhere].map((path) => existsSync(path))).toEqual([true, false, true]);
  rmdirSync(elsewhere);
  await first.remove();
  await second.remove();
});

it("makes groups again that were removed while it runs, with their limits", async () => {
  const control = await openControlGroup({ memory: 2 ** 30, processes: 10 });
  // Without permission to create groups there is nothing to make again.
  if (control.dirs.length === 0) return expect(control.reason).toContain("no control group");
  for (const dir of control.dirs) rmdirSync(dir);
  const group = control.open();
  expect(group?.missing).toEqual([]);
  expect(control.dirs.map((dir) => existsSync(dir))).toEqual(control.dirs.map(() => true));
  const own = dirname(group?.joins.at(-1) ?? "");
  if (control.limits.processes) expect(readFileSync(join(own, "pids.max"), "utf8")).toBe("10\n");
  if (control.limits.memory) expect(control.dirs.map(memoryLimitOf)).toContain(String(2 ** 30));
  group?.remove();
  await control.remove();
});

function memoryLimitOf(dir: string): string | undefined {
  const files = ["memory.max", "memory.limit_in_bytes"].map((name) => join(dir, name));
  const file = files.find((path) => existsSync(path));
  return file && readFileSync(file, "utf8").trim();
}

it("tells which limits a command lacks where its groups cannot be made again", () => {
  const gone = (limits: string) => ({
    dir: join(tmpdir(), "no-such-folder", limits),
    limits,
    make: () => {
      throw new Error("read-only file system");
    },
  });
  const groups = createCommandGroups({ shared: [gone("memory")], parent: gone("processes"), processes: 10 });
  const warnings = limitWarnings({ group: groups.open() } as Running, {} as PreparedCommand);
  expect(warnings).toEqual(
    ["memory", "processes"].map(
      (limit) =>
        `The command ran without its limit on ${limit}: its control group could not be made (read-only file system).`,
    ),
  );
});
