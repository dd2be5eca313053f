import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findProgram } from "./find-program.js";
import { explainFailure, installHint } from "./missing.js";
import { openFixture } from "./sandbox.fixture.js";

describe("a sandbox that cannot be had", () => {
  const stateWith = async (options: Parameters<typeof openFixture>[0]) => {
    const fixture = await openFixture(options);
    try {
      const state = await fixture.sandbox.ready();
      const facts = await fixture.sandbox.facts();
      await expect(fixture.wrap({ argv: ["/bin/true"] })).rejects.toMatchObject({
        code: "SANDBOX_UNAVAILABLE",
      });
      expect(facts).toEqual([{ name: "sandbox", status: "warn", message: `not active: ${state.reason}` }]);
      expect(state.active).toBe(false);
      return state.reason;
    } finally {
      await fixture.close();
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
    const fixture = await openFixture();
    expect(fixture.sandbox.state().active).toBe(false);
    await fixture.sandbox.ready();
    expect(fixture.sandbox.state().active).toBe(true);
    await fixture.close();
  });

  it("is closed without a word where it could not be opened", async () => {
    const fixture = await openFixture();
    writeFileSync(join(fixture.stateDir, "caches"), "");
    await expect(fixture.sandbox.ready()).rejects.toThrow("ENOTDIR");
    await expect(fixture.sandbox.close()).resolves.toBeUndefined();
    await fixture.close();
  });

  it("says whether it is required", async () => {
    const fixture = await openFixture({ settings: { enabled: "required" } });
    expect(fixture.sandbox.required).toBe(true);
    await fixture.close();
  });

  it("leaves nothing behind when it is closed", async () => {
    const mine = (): string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith(`tenon-sandbox-${process.pid}-`));
    const before = mine();
    const fixture = await openFixture();
    await fixture.sh("mkdir -p /tmp/a/b; chmod 500 /tmp/a");
    await fixture.close();
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
    const fixture = await openFixture();
    const bin = join(fixture.workspace, "bin");
    const outside = join(fixture.root, "outside");
    mkdirSync(bin);
    mkdirSync(outside);
    const write = (path: string): void => {
      writeFileSync(path, "#!/bin/sh\n");
      chmodSync(path, 0o755);
    };
    write(join(bin, "tool"));
    const search = (path: string) => findProgram("tool", { path, untrusted: [fixture.workspace] });
    expect(search(bin)).toBeUndefined();
    expect(search("bin:.:")).toBeUndefined();
    symlinkSync(join(bin, "tool"), join(outside, "tool"));
    expect(search(outside)).toBeUndefined();
    write(join(fixture.root, "tool"));
    expect(search(`${bin}:${outside}:${fixture.root}`)).toBe(join(fixture.root, "tool"));
    await fixture.close();
  });
});
