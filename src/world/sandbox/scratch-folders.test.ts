import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openScratchFolders, scratchName } from "./scratch-folders.js";

it("removes what killed processes left behind, and nothing of processes that cannot be seen from here", async () => {
  const parent = mkdtempSync(join(tmpdir(), "tenon-scratch-"));
  const { pid: dead } = spawnSync("true");
  const own = scratchName();
  const [ofDead, ofLiving, elsewhere] = [
    own.replace(String(process.pid), String(dead)),
    own,
    `tenon-sandbox-${dead}-1234567-`,
  ].map((name) => join(parent, `${name}abc`));
  for (const path of [ofDead, ofLiving, elsewhere]) mkdirSync(path as string);
  const scratch = await openScratchFolders(parent, false);
  expect([ofDead, ofLiving, elsewhere].map((path) => existsSync(path as string))).toEqual([
    false,
    true,
    true,
  ]);
  await scratch.remove();
  rmSync(parent, { recursive: true });
});

it.runIf(process.getuid?.() === 0)(
  "has devices of its own for root, where they can be used, and none for others",
  async () => {
    const parent = mkdtempSync(join(tmpdir(), "tenon-scratch-"));
    const canUse =
      spawnSync("sh", ["-c", `cp -a /dev/null "${parent}/null" && : >"${parent}/null"`]).status === 0;
    const [forRoot, forOthers] = [
      await openScratchFolders(parent, true),
      await openScratchFolders(parent, false),
    ];
    expect(forRoot.devices !== undefined).toBe(canUse);
    expect(forOthers.devices).toBeUndefined();
    if (forRoot.devices !== undefined) expect(existsSync(join(forRoot.devices, "null"))).toBe(true);
    expect(existsSync(join(forOthers.dir, "dev"))).toBe(false);
    rmSync(parent, { recursive: true });
  },
);
