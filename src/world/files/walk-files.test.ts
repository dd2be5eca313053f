import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WalkBatch, WalkEntry, WalkOptions } from "../../contract/ports/files.js";
import type { Guard } from "./guard-types.js";
import { createGuard } from "./guard.js";
import { createPathRules } from "./path-rules.js";
import { portableOpener } from "./portable-opener.js";

let base: string;
let root: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-walk-"));
  root = join(base, "ws");
  mkdirSync(root);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const put = (path: string, text = "x"): void => {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
};
const guardOf = (forbiddenPaths: readonly string[] = []): Guard =>
  createGuard({ rules: createPathRules({ workspace: root, forbiddenPaths }), maxFileSize: 1e9 });

async function walk(options: WalkOptions & { guard?: Guard; path?: string } = {}): Promise<WalkEntry[]> {
  const { guard = guardOf(), path = ".", ...rest } = options;
  const entries: WalkEntry[] = [];
  for await (const batch of guard.walk(path, rest)) entries.push(...batch.entries);
  return entries;
}

const paths = async (options: Parameters<typeof walk>[0] = {}): Promise<string[]> =>
  (await walk(options)).map((entry) => entry.path);

describe.each(["descriptor", "portable"])("a walk by %s", (kind) => {
  const guard = (): Guard => {
    const rules = createPathRules({ workspace: root });
    const opener = kind === "portable" ? { opener: portableOpener("linux") } : {};
    return createGuard({ rules, maxFileSize: 1e9, ...opener });
  };

  it("lists each directory's own entries first, in the order of their names, hidden ones included", async () => {
    for (const path of ["b.txt", "a/deep/x", "a/y", ".hidden", "c/z", ".git/config"]) put(path);
    expect(await paths({ guard: guard() })).toEqual([
      ".hidden",
      "a",
      "b.txt",
      "c",
      "a/deep",
      "a/y",
      "a/deep/x",
      "c/z",
    ]);
  });

  it("tells sizes and times", async () => {
    put("a/b.txt", "12345");
    utimesSync(join(root, "a/b.txt"), 1000, 1000);
    const entries = await walk({ guard: guard(), stats: true });
    expect(entries).toMatchObject([
      { path: "a", type: "directory" },
      { name: "b.txt", path: "a/b.txt", type: "file", size: 5, modified: 1_000_000 },
    ]);
  });

  it("reports links and follows none, not even in a circle", async () => {
    mkdirSync(join(base, "outside"));
    writeFileSync(join(base, "outside/secret"), "s");
    put("a/x");
    symlinkSync("../../outside", join(root, "a/out"));
    symlinkSync("..", join(root, "a/up"));
    const entries = await walk({ guard: guard(), stats: true });
    expect(entries.map(({ path, type }) => [path, type])).toEqual([
      ["a", "directory"],
      ["a/out", "symlink"],
      ["a/up", "symlink"],
      ["a/x", "file"],
    ]);
  });
});

describe("a walk", () => {
  it("goes no deeper than it is told, and only where something is wanted", async () => {
    for (const path of ["a/b/c", "a/x", "d/e"]) put(path);
    expect(await paths({ depth: 1 })).toEqual(["a", "d"]);
    expect(await paths({ depth: 2 })).toEqual(["a", "d", "a/b", "a/x", "d/e"]);
    const asked: string[] = [];
    const enters = (path: string): boolean => asked.push(path) > 0 && path === "a";
    expect(await paths({ enters, wants: ({ type }) => type === "file" })).toEqual(["a/x"]);
    expect(asked).toEqual(["a", "d", "a/b"]);
  });

  it("names what it finds from the workspace on, and asks about it from its own start on", async () => {
    put("a/b/c");
    const wanted: string[] = [];
    const found = await paths({ path: "a", wants: ({ path }) => wanted.push(path) > 0 });
    expect(found).toEqual(["a/b", "a/b/c"]);
    expect(wanted).toEqual(["b", "b/c"]);
  });

  it("shows ignored entries where it is told to, and counts them where not", async () => {
    put(".gitignore", "*.log\n");
    put("a.log");
    put(".git/HEAD");
    expect(await paths({ ignore: false })).toEqual([".git", ".gitignore", "a.log", ".git/HEAD"]);
    const batches: WalkBatch[] = [];
    for await (const batch of guardOf().walk(".")) batches.push(batch);
    expect(batches.at(-1)?.ignored).toBe(1);
  });

  it("opens an ignored directory that is named, with the rules inside it", async () => {
    put(".gitignore", "node_modules/\n*.log\n");
    put("node_modules/x/index.js");
    put("node_modules/x/a.log");
    expect(await paths()).toEqual([".gitignore"]);
    expect(await paths({ path: "node_modules" })).toEqual(["node_modules/x", "node_modules/x/index.js"]);
  });

  it("leaves out what rules forbid and what a screen does not let pass, unopened", async () => {
    for (const path of ["a/secret/x", "a/key.pem", "a/ok", "hidden/y"]) put(path);
    const guard = guardOf(["*.pem"]).screen((path) => !/^hidden|secret/.test(path));
    expect(await paths({ guard })).toEqual(["a", "a/ok"]);
    const listed: string[] = [];
    for await (const entry of guard.list("a")) listed.push(entry.name);
    expect(listed).toEqual(["ok"]);
    await expect(guard.read("a/secret/x")).rejects.toThrow(/policy/);
    expect(() => guard.openRead("hidden/y")).toThrow(/policy/);
    expect(() => guard.stat("hidden")).toThrow(/policy/);
    symlinkSync("hidden/y", join(root, "alias"));
    expect(() => guard.openRead("alias")).toThrow(/policy/);
    await expect(paths({ guard, path: "hidden" })).rejects.toThrow(/policy/);
  });

  it("shows names of any bytes harmlessly", async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff, 0xfe])]), "1");
    writeFileSync(join(root, "two\nlines"), "22");
    writeFileSync(join(root, "\u{FFFD}"), "333");
    mkdirSync(Buffer.concat([Buffer.from(`${root}/dir-`), Buffer.from([0xc3])]));
    writeFileSync(Buffer.concat([Buffer.from(`${root}/dir-`), Buffer.from([0xc3]), Buffer.from("/in")]), "x");
    const entries = await walk({ stats: true });
    expect(Object.fromEntries(entries.map(({ path, size }) => [path, size]))).toEqual({
      "bad-\\xff\\xfe": 1,
      "dir-\\xc3": expect.any(Number) as number,
      "dir-\\xc3/in": 1,
      "two\\x0alines": 2,
      "\u{FFFD}": 3,
    });
  });

  it("goes through 3,000 levels, counts what no path can reach, and leaves nothing open", async () => {
    let fd = openSync(root, "r");
    for (let level = 0; level < 3000; level += 1) {
      mkdirSync(`/proc/self/fd/${fd}/d`);
      const next = openSync(`/proc/self/fd/${fd}/d`, "r");
      closeSync(fd);
      fd = next;
    }
    closeSync(fd);
    put("z/after");
    let last: WalkBatch | undefined;
    let found = 0;
    let end: string | undefined;
    for await (const batch of guardOf().walk(".", { stats: true })) {
      found += batch.entries.length;
      // The last batch has the counts, and no entries where its slice of time began after the last one.
      end = batch.entries.at(-1)?.path ?? end;
      last = batch;
    }
    // Before anything can fail: no recursive removal gets down as deep as this.
    removeDeep(root);
    expect(found).toBeGreaterThan(1900);
    expect(end).toBe("z/after");
    expect(last).toMatchObject({ unreachable: 1, unreadable: 0 });
    expect(openBelowBase()).toEqual([]);
  });

  it("reads a directory of very many entries in parts", async () => {
    const count = 15_000;
    for (let at = 0; at < count; at += 1) writeFileSync(join(root, `a-rather-long-name-${at}`), "");
    put(".gitignore", "*-7\n");
    const batches: number[] = [];
    for await (const batch of guardOf().walk(".")) batches.push(batch.entries.length);
    expect(batches.reduce((sum, size) => sum + size, 0)).toBe(count);
    expect(Math.max(...batches)).toBeLessThan(3000);
    for await (const batch of guardOf().walk(".", { stats: true })) {
      expect(batch.entries.length).toBeGreaterThan(0);
      break;
    }
    expect(openBelowBase()).toEqual([]);
  });

  it("stops when it is told to", async () => {
    // More than fit into one batch, however fast they are found.
    for (let at = 0; at < 600; at += 1) put(`${at}/x`);
    const stop = new AbortController();
    const walking = (async () => {
      for await (const _batch of guardOf().walk(".", {}, stop.signal)) stop.abort();
    })();
    await expect(walking).rejects.toThrow(/cancelled/);
    expect(openBelowBase()).toEqual([]);
  });

  it("never tells of what lies outside, where directories are exchanged for links meanwhile", async () => {
    mkdirSync(join(base, "outside"));
    for (let at = 0; at < 20; at += 1) {
      writeFileSync(join(base, "outside", `f${at}`), "x".repeat(1000));
      put(`entry/f${at}`, "1");
    }
    symlinkSync(join(base, "outside"), join(root, "link"));
    const old = Date.now() / 1000 - 60;
    utimesSync(root, old, old);
    for (let round = 0; round < 8; round += 1) {
      const guard = guardOf();
      const sizes = new Set<number | undefined>();
      let swapped = false;
      const wants = ({ type }: { type: string }): boolean => {
        // Between the reading of names and the look at their sizes.
        if (!swapped) {
          renameSync(join(root, "entry"), join(root, "away"));
          renameSync(join(root, "link"), join(root, "entry"));
          swapped = true;
        }
        return type === "file";
      };
      const path = round % 2 === 0 ? "entry" : ".";
      try {
        for (const entry of await walk({ guard, stats: true, wants, path })) sizes.add(entry.size);
      } catch (error) {
        expect(String(error)).toMatch(/moved|rearranged/);
      }
      expect([...sizes]).not.toContain(1000);
      renameSync(join(root, "entry"), join(root, "link"));
      renameSync(join(root, "away"), join(root, "entry"));
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
  });
});

/** What this process has open there. */
function openBelowBase(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(base) ? [target] : [];
    } catch {
      return []; // the one that was used for looking
    }
  });
}

/** Deeper than paths reach: take the levels off from above. */
function removeDeep(directory: string): void {
  for (let level = 0; level < 3100; level += 500) {
    const deep = `${directory}/${"d/".repeat(500)}`;
    try {
      renameSync(deep, join(base, `part-${level}`));
    } catch {
      break;
    }
    rmSync(join(directory, "d"), { recursive: true, force: true });
    renameSync(join(base, `part-${level}`), join(directory, "d"));
  }
}
