import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findProgram } from "./find-program.js";
import { explainFailure, installHint } from "./missing.js";
import { openGround } from "./sandbox.fixture.js";

describe("a sandbox that cannot be had", () => {
  const stateWith = async (options: Parameters<typeof openGround>[0]) => {
    const ground = await openGround(options);
    try {
      const state = await ground.sandbox.ready();
      const facts = await ground.sandbox.facts();
      await expect(ground.wrap({ argv: ["/bin/true"] })).rejects.toMatchObject({
        code: "SANDBOX_UNAVAILABLE",
      });
      expect(facts).toEqual([{ name: "sandbox", status: "warn", message: `not active: ${state.reason}` }]);
      expect(state.active).toBe(false);
      return state.reason;
    } finally {
      await ground.close();
    }
  };

  it("says that it was switched off", async () => {
    expect(await stateWith({ settings: { enabled: "off" } })).toContain("sandbox.enabled");
  });

  it.each(["darwin", "win32"] as const)("says that there is none on %s", async (platform) => {
    expect(await stateWith({ platform })).toContain(platform);
  });

  it.each(["/", "/etc", "/usr", "/proc/self"])("refuses %s as a workspace", async (workspace) => {
    expect(await stateWith({ workspace })).toContain("choose");
  });

  it("knows nothing before it looked", async () => {
    const ground = await openGround();
    expect(ground.sandbox.state().active).toBe(false);
    await ground.sandbox.ready();
    expect(ground.sandbox.state().active).toBe(true);
    await ground.close();
  });

  it("says whether it is required", async () => {
    const ground = await openGround({ settings: { enabled: "required" } });
    expect(ground.sandbox.required).toBe(true);
    await ground.close();
  });

  it("leaves nothing behind when it is closed", async () => {
    const mine = (): string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith(`tenon-sandbox-${process.pid}-`));
    const before = mine();
    const ground = await openGround();
    await ground.sh("mkdir -p /tmp/a/b; chmod 500 /tmp/a");
    await ground.close();
    expect(mine()).toEqual(before);
  });
});

describe("the way to get it", () => {
  it("names the package manager and the setting that stands in the way", async () => {
    expect(await installHint()).toContain("bubblewrap");
    expect(
      await explainFailure("bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n"),
    ).toMatch(/Can't mount proc.*(?:container|sysctl)/);
  });
});

describe("the search for programs", () => {
  it("takes none from where an agent can write, not by a link either", async () => {
    const ground = await openGround();
    const bin = join(ground.workspace, "bin");
    const outside = join(ground.root, "outside");
    mkdirSync(bin);
    mkdirSync(outside);
    const write = (path: string): void => {
      writeFileSync(path, "#!/bin/sh\n");
      chmodSync(path, 0o755);
    };
    write(join(bin, "tool"));
    const search = (path: string) => findProgram("tool", { path, untrusted: [ground.workspace] });
    expect(search(bin)).toBeUndefined();
    expect(search("bin:.:")).toBeUndefined();
    symlinkSync(join(bin, "tool"), join(outside, "tool"));
    expect(search(outside)).toBeUndefined();
    write(join(ground.root, "tool"));
    expect(search(`${bin}:${outside}:${ground.root}`)).toBe(join(ground.root, "tool"));
    await ground.close();
  });
});
