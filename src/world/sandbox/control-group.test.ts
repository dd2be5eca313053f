import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
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
