import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCommandFixture, type CommandFixture } from "./testing/command-fixture.js";

let dir: string;
let mounted: boolean;
let fixture: CommandFixture;

/** A disk of 1 MB; where none can be mounted, a folder that cannot be made stands for it. */
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "tenon-full-"));
  mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", dir]).status === 0;
  if (!mounted) writeFileSync(join(dir, "blocked"), "");
  fixture = openCommandFixture({ outputsDir: join(dir, mounted ? "outputs" : "blocked/outputs") });
});
afterAll(async () => {
  await fixture.close();
  if (mounted) spawnSync("umount", [dir]);
  rmSync(dir, { recursive: true, force: true });
});

describe("a full disk", () => {
  it("costs the kept output, not the command, and is told; the space is given back", async () => {
    const result = await fixture
      .forCall()
      .run({ command: "seq 1 2000000", readOnly: false, timeoutMs: 20_000 });
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    expect(result.handle).toBeUndefined();
    expect(result.warnings.join()).toMatch(/complete output could not be stored: .*(?:ENOSPC|ENOTDIR)/);
    expect(result.stdout.text).toMatch(/^1\n2\n/);
    expect(result.stdout.text).toMatch(/2000000\n$/);
    if (!mounted) return;
    expect(readdirSync(join(dir, "outputs"))).toEqual([]);
    expect(statfsSync(dir).bavail).toBeGreaterThan(0);
  });
});
