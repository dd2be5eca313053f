import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findShell, shellArguments } from "./shell.js";

let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "tenon-shells-"));
  for (const name of ["zsh", "fish", "pwsh.exe", "cmd.exe"]) {
    writeFileSync(join(dir, name), "#!/bin/sh\n");
    chmodSync(join(dir, name), 0o755);
  }
  writeFileSync(join(dir, "ksh"), "not executable");
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const find = (shell: string | undefined, wanted?: string, platform: NodeJS.Platform = "linux") =>
  findShell({ platform, env: { SHELL: shell, PATH: `${dir}:/usr/bin:/bin` }, wanted });

describe("the shell", () => {
  it("is the person's own where its lines can be judged", async () => {
    expect(await find("/bin/sh")).toEqual({ name: "sh", path: "/bin/sh", judged: true });
    expect(await find("/bin/bash")).toMatchObject({ name: "bash", judged: true });
  });

  it.each([[undefined], ["/no/such/bash"], [""], ["relative/sh"]])(
    "is bash where SHELL is %s",
    async (shell) => {
      expect(await find(shell)).toMatchObject({ name: "bash", judged: true });
    },
  );

  it("is bash where the person's own cannot be judged, unless it is asked for by name", async () => {
    expect(await find(join(dir, "zsh"))).toMatchObject({ name: "bash" });
    expect(await find("/bin/bash", "zsh")).toEqual({ name: "zsh", path: join(dir, "zsh"), judged: false });
    expect(await find("/bin/bash", join(dir, "fish"))).toMatchObject({ name: "fish", judged: false });
  });

  it.each(["no-such-shell", "/no/such", "ksh", "../bin/sh"])("is refused as %s", async (wanted) => {
    await expect(find("/bin/bash", wanted)).rejects.toThrow(/not found/);
  });

  it("is PowerShell on Windows", async () => {
    expect(await find(undefined, undefined, "win32")).toMatchObject({ name: "pwsh", judged: false });
  });
});

describe("the arguments of a shell", () => {
  const bash = { name: "bash", path: "/bin/bash", judged: true };

  it("give a long line in pieces that the system takes, and none of its characters is cut", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 39_990, max: 40_010 }),
        fc.constantFrom("🎉", "é", "x"),
        (length, character) => {
          const text = `${"a".repeat(length)}${character.repeat(3000)}`;
          const args = shellArguments(bash, `printf %s ${text}`);
          expect(args.every((arg) => Buffer.byteLength(arg) < 128 * 1024)).toBe(true);
          const { stdout, status } = spawnSync(bash.path, args, { encoding: "utf8" });
          expect({ stdout, status }).toEqual({ stdout: text, status: 0 });
        },
      ),
      { numRuns: 10 },
    );
  });

  it("are those of cmd and PowerShell", () => {
    expect(shellArguments({ name: "cmd", path: "", judged: false }, "dir")).toEqual([
      "/d",
      "/s",
      "/c",
      '"dir"',
    ]);
    expect(shellArguments({ name: "pwsh", path: "", judged: false }, "ls").at(-1)).toBe("ls");
  });
});
