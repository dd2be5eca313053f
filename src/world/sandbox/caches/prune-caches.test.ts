import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pruneCaches } from "./prune-caches.js";

const kb = 1024;

describe("caches beyond their limit", () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), "tenon-prune-"))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const put = (path: string, { kilobytes, day }: { kilobytes: number; day: number }): void => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.alloc(kilobytes * kb, 1));
    utimesSync(file, day * 86_400, day * 86_400);
  };
  const caches = [
    { name: "loose", isLoose: true },
    { name: "whole", isLoose: false },
  ];
  const prune = (maxKb: number): Promise<number> =>
    pruneCaches(
      caches.map(({ name, isLoose }) => ({ dir: join(root, name), isLoose })),
      maxKb * kb,
    );

  beforeEach(() => {
    put("loose/a/old", { kilobytes: 100, day: 1 });
    put("loose/b/new", { kilobytes: 100, day: 9 });
    put("whole/x/1", { kilobytes: 100, day: 2 });
    put("whole/x/2", { kilobytes: 100, day: 3 });
  });

  it("lose the files that were unused for longest, and others only as a whole", async () => {
    expect(await prune(400)).toBe(0);
    expect(await prune(350)).toBe(100 * kb);
    expect(existsSync(join(root, "loose/a/old"))).toBe(false);
    expect(readdirSync(join(root, "whole/x"))).toEqual(["1", "2"]);
    expect(await prune(250)).toBe(200 * kb);
    expect(readdirSync(join(root, "whole"))).toEqual([]);
    expect(existsSync(join(root, "loose/b/new"))).toBe(true);
  });

  it("are never left through links that a command created", async () => {
    put("outside/kept", { kilobytes: 400, day: 1 });
    symlinkSync(join(root, "outside"), join(root, "loose/link"));
    symlinkSync(join(root, "outside"), join(root, "whole/link"));
    await prune(1);
    expect(readdirSync(join(root, "outside"))).toEqual(["kept"]);
    expect(readdirSync(join(root, "whole"))).toEqual([]);
  });
});
