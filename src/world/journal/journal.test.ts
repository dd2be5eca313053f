import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileMutation } from "../../contract/ports/files.js";
import { openWorld, origin, type World } from "./testing/open-world.js";
import { snapshot } from "./testing/snapshot.js";

let base: string;
let world: World;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "tenon-journal-"));
  world = await openWorld(base);
});

afterEach(async () => {
  await world.close();
  rmSync(base, { recursive: true, force: true });
});

function at(path: string): string {
  return join(world.root, path);
}

function text(path: string): string {
  return readFileSync(at(path), "utf8");
}

function write(path: string, content: string): FileMutation {
  return { op: "write", path, data: Buffer.from(content) };
}

async function apply(...mutations: FileMutation[]): Promise<void> {
  await world.journal.apply(mutations, origin());
}

/** A tree with all that a tree can hold. */
function plantTree(): void {
  mkdirSync(at("tree/sub/empty"), { recursive: true });
  writeFileSync(at("tree/a.txt"), "alpha");
  writeFileSync(at("tree/sub/run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(at("tree/sub/none"), "");
  writeFileSync(Buffer.concat([Buffer.from(`${at("tree")}/`), Buffer.from([0xff, 0x0a, 0x41])]), "odd");
  writeFileSync(at("tree/large"), Buffer.alloc(2_500_000, "large"));
  symlinkSync("a.txt", at("tree/link"));
  symlinkSync("/etc/hostname", at("tree/away"));
  symlinkSync("nowhere", at("tree/dangling"));
  chmodSync(at("tree/sub/empty"), 0o711);
  chmodSync(at("tree/sub"), 0o555);
  chmodSync(at("tree/a.txt"), 0o640);
}

describe("apply", () => {
  it("writes, appends, copies, moves, deletes and makes directories in one go", async () => {
    writeFileSync(at("old"), "old");
    writeFileSync(at("gone"), "gone");
    await apply(
      write("new/deep/file", "one"),
      { op: "append", path: "new/deep/file", data: Buffer.from(" two") },
      { op: "copy", from: "new/deep/file", to: "copy" },
      { op: "move", from: "old", to: "new/moved" },
      write("new/moved", "moved and edited"),
      { op: "delete", path: "gone" },
      { op: "mkdir", path: "x/y" },
    );
    expect(text("new/deep/file")).toBe("one two");
    expect(text("copy")).toBe("one two");
    expect(text("new/moved")).toBe("moved and edited");
    expect(existsSync(at("old"))).toBe(false);
    expect(existsSync(at("gone"))).toBe(false);
    expect(lstatSync(at("x/y")).isDirectory()).toBe(true);
    expect(Object.keys(snapshot(world.root)).filter((name) => name.includes(".tenon"))).toEqual([]);
  });

  it("changes nothing where one of many mutations cannot work", async () => {
    writeFileSync(at("a"), "a");
    const before = snapshot(world.root);
    const failing = apply(write("a", "changed"), write("b", "new"), { op: "delete", path: "missing" });
    await expect(failing).rejects.toMatchObject({ code: "RESOURCE_NOT_FOUND" });
    expect(snapshot(world.root)).toEqual(before);
    expect(await world.journal.history()).toEqual([]);
  });

  it("takes all back where a step fails in the middle", async () => {
    writeFileSync(at("a"), "a");
    writeFileSync(at("b"), "b");
    mkdirSync(at("d"));
    const before = snapshot(world.root);
    let steps = 0;
    const clashing = await openWorld(base, {
      failpoint: (step) => {
        if (step !== "stepped" || (steps += 1) < 4) return;
        writeFileSync(at("late"), "somebody was faster");
      },
    });
    const failing = clashing.journal.apply(
      [
        write("a", "changed"),
        { op: "delete", path: "b" },
        { op: "move", from: "d", to: "e" },
        write("e/f", "in a moved directory"),
        write("late", "mine"),
      ],
      origin(),
    );
    await expect(failing).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    await clashing.close();
    expect(snapshot(world.root)).toEqual({ ...before, late: snapshot(world.root)["late"] });
    expect(text("late")).toBe("somebody was faster");
    expect(await world.state.journal.unfinished()).toEqual([]);
  });

  it("refuses to overwrite what someone changed between the look and the step", async () => {
    writeFileSync(at("a"), "a");
    const slow = await openWorld(base, {
      failpoint: (step) => step === "committing" && writeFileSync(at("a"), "theirs, longer"),
    });
    const failing = slow.journal.apply([write("a", "mine")], origin());
    await expect(failing).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    await slow.close();
    expect(text("a")).toBe("theirs, longer");
  });

  it("keeps the mode of a file and the content of its other names", async () => {
    writeFileSync(at("run.sh"), "old", { mode: 0o750 });
    linkSync(at("run.sh"), at("other"));
    await apply(write("run.sh", "new"));
    expect(statSync(at("run.sh")).mode & 0o777).toBe(0o750);
    expect(text("other")).toBe("old");
  });

  it("heeds create, ifIdentity and mode", async () => {
    writeFileSync(at("a"), "a");
    const { identity = "" } = world.guard.stat("a") ?? {};
    const data = Buffer.from("b");
    await expect(apply({ op: "write", path: "a", data, options: { create: true } })).rejects.toMatchObject({
      code: "FILE_CONFLICT",
    });
    await apply({ op: "write", path: "a", data, options: { ifIdentity: identity, mode: 0o600 } });
    expect(statSync(at("a")).mode & 0o777).toBe(0o600);
    const stale = apply({ op: "write", path: "a", data, options: { ifIdentity: identity } });
    await expect(stale).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    await expect(apply({ op: "delete", path: "a", ifIdentity: identity })).rejects.toMatchObject({
      code: "FILE_CONFLICT",
    });
  });

  it("follows a link that stays inside when writing, and moves or deletes the link itself", async () => {
    writeFileSync(at("real"), "real");
    symlinkSync("real", at("link"));
    await apply(write("link", "through"));
    expect(text("real")).toBe("through");
    await apply({ op: "move", from: "link", to: "moved" });
    expect(lstatSync(at("moved")).isSymbolicLink()).toBe(true);
    await apply({ op: "delete", path: "moved" });
    expect(text("real")).toBe("through");
    await world.journal.undo({ path: "moved" }, origin());
    expect(lstatSync(at("moved")).isSymbolicLink()).toBe(true);
  });

  it.each<[string, FileMutation, string]>([
    ["a path outside", write("../x", ""), "PATH_TRAVERSAL|PATH_OUTSIDE"],
    ["an absolute path outside", write("/etc/x", ""), "PATH_OUTSIDE"],
    ["a link that leaves", write("out", ""), "PATH_SYMLINK"],
    ["a directory below a link that leaves", write("outdir/x", ""), "PATH_SYMLINK"],
    ["a protected file", write(".git/hooks/x", ""), "PATH_FORBIDDEN"],
    [
      "a tree with something protected in it",
      { op: "delete", path: "repo", recursive: true },
      "PATH_FORBIDDEN",
    ],
    ["a move of such a tree", { op: "move", from: "repo", to: "r" }, "PATH_FORBIDDEN"],
    ["the workspace itself", { op: "delete", path: ".", recursive: true }, "PATH_FORBIDDEN"],
    ["a directory without recursive", { op: "delete", path: "repo" }, "FILE_CONFLICT"],
    ["a write over a directory", write("repo", ""), "FILE_IO"],
    ["a file as a directory", write("file/x", ""), "FILE_IO"],
    ["a copy of a directory", { op: "copy", from: "repo", to: "r" }, "FILE_IO"],
    ["a move into itself", { op: "move", from: "repo", to: "repo/in" }, "FILE_CONFLICT"],
    ["a move onto a taken name", { op: "move", from: "file", to: "file2" }, "FILE_CONFLICT"],
    ["a move onto a directory", { op: "move", from: "file", to: "repo", overwrite: true }, "FILE_CONFLICT"],
  ])("refuses %s and leaves everything as it was", async (_, mutation, code) => {
    symlinkSync("/etc/hostname", at("out"));
    symlinkSync("/tmp", at("outdir"));
    mkdirSync(at("repo/.git"), { recursive: true });
    writeFileSync(at("repo/.git/config"), "");
    writeFileSync(at("file"), "1");
    writeFileSync(at("file2"), "2");
    const before = snapshot(world.root);
    await expect(apply(mutation)).rejects.toMatchObject({ code: expect.stringMatching(code) });
    expect(snapshot(world.root)).toEqual(before);
  });

  it("refuses what is too large to be undone, before anything is touched", async () => {
    plantTree();
    const before = snapshot(world.root);
    const small = await openWorld(base, { limits: { maxBytes: 1_000_000 } });
    const deleting = small.journal.apply([{ op: "delete", path: "tree", recursive: true }], origin());
    await expect(deleting).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
    await small.close();
    expect(snapshot(world.root)).toEqual(before);
  });

  it("is not touched by a signal that fires before its turn, nor cut by one after", async () => {
    const stop = new AbortController();
    stop.abort();
    const waiting = world.journal.apply([write("a", "a")], origin(), { signal: stop.signal });
    await expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
    expect(existsSync(at("a"))).toBe(false);
  });
});

describe("undo", () => {
  it("of a session's last change finds it behind any number of changes of others", async () => {
    const own = { ...origin(), sessionId: "mine" };
    await world.journal.apply([write("mine", "1")], own);
    for (let at = 0; at < 50; at++) await apply(write("theirs", String(at)));
    await world.journal.undo({ lastOf: "mine" }, own);
    expect(existsSync(at("mine"))).toBe(false);
    await expect(world.journal.undo({ lastOf: "mine" }, own)).rejects.toThrow(
      "Nothing to undo: this session",
    );
    expect(text("theirs")).toBe("49");
  });

  it("takes back the last change of a path, then the one before", async () => {
    await apply(write("a", "one"));
    await apply(write("a", "two!"));
    expect(await world.journal.undo({ path: "a" }, origin())).toEqual([
      { path: "a", restoredContentLen: 3, previousContentLen: 4 },
    ]);
    expect(text("a")).toBe("one");
    await world.journal.undo({ path: "a" }, origin());
    expect(existsSync(at("a"))).toBe(false);
    await expect(world.journal.undo({ path: "a" }, origin())).rejects.toMatchObject({
      code: "RESOURCE_NOT_FOUND",
    });
  });

  it("can be undone itself, there and back", async () => {
    await apply(write("a", "one"));
    await apply(write("a", "two"));
    await world.journal.undo({ path: "a" }, origin("u1"));
    await world.journal.undo({ callId: "u1" }, origin("u2"));
    expect(text("a")).toBe("two");
    await world.journal.undo({ callId: "u2" }, origin("u3"));
    expect(text("a")).toBe("one");
    await world.journal.undo({ callId: "u3" }, origin("u4"));
    expect(text("a")).toBe("two");
    await world.journal.undo({ path: "a" }, origin());
    expect(text("a")).toBe("one");
  });

  it("takes a call back as a whole, or one file of it", async () => {
    writeFileSync(at("a"), "a");
    const call = origin("edit");
    await world.journal.apply([write("a", "A"), write("b/c", "new"), { op: "mkdir", path: "b/d" }], call);
    const after = snapshot(world.root);
    await world.journal.undo({ callId: "edit" }, origin("u"));
    expect(snapshot(world.root)).toEqual({ a: after["a"]?.replace("QQ==", "YQ==") });
    await world.journal.undo({ callId: "u" }, origin());
    expect(snapshot(world.root)).toEqual(after);
    await world.journal.undo({ path: "a" }, origin());
    expect(text("a")).toBe("a");
    expect(text("b/c")).toBe("new");
  });

  it("takes a task back over many calls, in the right order", async () => {
    writeFileSync(at("a"), "0");
    mkdirSync(at("d"));
    writeFileSync(at("d/x"), "x0");
    const before = snapshot(world.root);
    const run = (...mutations: FileMutation[]) => world.journal.apply(mutations, origin(undefined, "task"));
    await run(write("a", "1"));
    await run(write("d/x", "x1"), write("d/new", "n"));
    await run({ op: "move", from: "a", to: "b" });
    await run(write("b", "2"));
    await run({ op: "move", from: "d", to: "e" });
    await run({ op: "delete", path: "e/x" });
    await run({ op: "delete", path: "e", recursive: true });
    await run(write("e", "a file now"));
    const after = snapshot(world.root);
    await world.journal.undo({ taskId: "task" }, origin("back"));
    expect(snapshot(world.root)).toEqual(before);
    await world.journal.undo({ callId: "back" }, origin());
    expect(snapshot(world.root)).toEqual(after);
  });

  it("brings a deleted tree back: contents, modes, links, empty directories, odd names", async () => {
    plantTree();
    const before = snapshot(world.root);
    await apply({ op: "delete", path: "tree", recursive: true });
    expect(readdirSync(world.root)).toEqual([]);
    await world.journal.undo({ path: "tree" }, origin("u"));
    expect(snapshot(world.root)).toEqual(before);
    await world.journal.undo({ callId: "u" }, origin());
    expect(readdirSync(world.root)).toEqual([]);
  });

  it("brings a tree of 500 levels back", async () => {
    let handle = at("deep");
    mkdirSync(handle);
    process.chdir(handle);
    try {
      for (let level = 0; level < 500; level += 1) {
        mkdirSync("d");
        process.chdir("d");
      }
      writeFileSync("bottom", "here");
      process.chdir("/");
      await apply({ op: "delete", path: "deep", recursive: true });
      expect(existsSync(handle)).toBe(false);
      await world.journal.undo({ path: "deep" }, origin());
      process.chdir(handle);
      for (let level = 0; level < 500; level += 1) process.chdir("d");
      expect(readFileSync("bottom", "utf8")).toBe("here");
    } finally {
      process.chdir("/");
    }
    handle = at("deep");
    await world.guard.removeTree("deep");
    expect(existsSync(handle)).toBe(false);
  });

  it("moves back, and restores what the move replaced", async () => {
    writeFileSync(at("a"), "a");
    writeFileSync(at("b"), "b", { mode: 0o600 });
    const before = snapshot(world.root);
    await apply({ op: "move", from: "a", to: "b", overwrite: true });
    expect(text("b")).toBe("a");
    await world.journal.undo({ path: "b" }, origin("u"));
    expect(snapshot(world.root)).toEqual(before);
    await world.journal.undo({ callId: "u" }, origin());
    expect(readdirSync(world.root)).toEqual(["b"]);
    expect(text("b")).toBe("a");
  });

  it("moves a directory back with what came into it since", async () => {
    mkdirSync(at("d"));
    await apply({ op: "move", from: "d", to: "e/f" });
    writeFileSync(at("e/f/new"), "since");
    await world.journal.undo({ path: "e/f" }, origin());
    expect(text("d/new")).toBe("since");
    expect(existsSync(at("e"))).toBe(false);
  });

  it("refuses with a diff where someone changed the file since, and changes nothing", async () => {
    writeFileSync(at("a"), "one\ntwo\n");
    await world.journal.apply([write("a", "one\n2\n"), write("b", "b")], origin("c"));
    writeFileSync(at("a"), "one\n2\nthree\n");
    const before = snapshot(world.root);
    await expect(world.journal.undo({ callId: "c" }, origin())).rejects.toMatchObject({
      code: "FILE_CONFLICT",
      details: { diff: expect.stringMatching(/--- a.*\+\+\+ a.*\n 2\n\+three\n/s) },
    });
    expect(snapshot(world.root)).toEqual(before);
  });

  it("is not stopped by a mere touch or chmod", async () => {
    writeFileSync(at("a"), "one");
    await apply(write("a", "two"));
    writeFileSync(at("a"), "two");
    chmodSync(at("a"), 0o600);
    await world.journal.undo({ path: "a" }, origin());
    expect(text("a")).toBe("one");
  });

  it.each<[string, () => Promise<void>, () => void]>([
    ["a file deleted since", () => apply(write("n", "x")), () => rmSync(at("n"))],
    [
      "a file that is a directory now",
      () => apply(write("n", "x")),
      () => (rmSync(at("n")), mkdirSync(at("n"))),
    ],
    [
      "a directory that is used now",
      () => apply({ op: "mkdir", path: "n" }),
      () => writeFileSync(at("n/x"), ""),
    ],
    [
      "a deleted file that exists again",
      () => apply({ op: "delete", path: "was" }),
      () => writeFileSync(at("was"), ""),
    ],
    [
      "a moved file whose old name is taken",
      () => apply({ op: "move", from: "was", to: "n" }),
      () => writeFileSync(at("was"), ""),
    ],
    [
      "a moved file that was edited",
      () => apply({ op: "move", from: "was", to: "n" }),
      () => writeFileSync(at("n"), "edited"),
    ],
  ])("refuses %s", async (_, act, interfere) => {
    writeFileSync(at("was"), "was");
    await act();
    interfere();
    const before = snapshot(world.root);
    const [last] = await world.journal.history();
    const undoing = world.journal.undo({ callId: last?.callId ?? "" }, origin());
    await expect(undoing).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    expect(snapshot(world.root)).toEqual(before);
  });

  it("makes parents again that were removed since", async () => {
    mkdirSync(at("d"));
    writeFileSync(at("d/f"), "f");
    await apply({ op: "delete", path: "d/f" });
    rmSync(at("d"), { recursive: true });
    await world.journal.undo({ path: "d/f" }, origin());
    expect(text("d/f")).toBe("f");
  });

  it("works after a restart", async () => {
    writeFileSync(at("a"), "before");
    await apply(write("a", "after"));
    await world.close();
    world = await openWorld(base);
    await world.journal.undo({ path: "a" }, origin());
    expect(text("a")).toBe("before");
  });

  it("names the call to undo where a whole directory was changed", async () => {
    mkdirSync(at("d"));
    writeFileSync(at("d/f"), "f");
    await world.journal.apply([{ op: "delete", path: "d", recursive: true }], origin("the-call"));
    await expect(world.journal.undo({ path: "d/f" }, origin())).rejects.toMatchObject({
      hint: expect.stringContaining("the-call"),
    });
  });

  it("refuses where the previous content was damaged, instead of restoring rubbish", async () => {
    writeFileSync(at("a"), "precious");
    await apply(write("a", "new"));
    const blobs = join(world.state.dir, "blobs");
    for (const name of readdirSync(blobs)) writeFileSync(join(blobs, name), "rubbish!");
    await expect(world.journal.undo({ path: "a" }, origin())).rejects.toThrow(
      /changed by someone else|damaged/,
    );
    expect(text("a")).toBe("new");
    expect(await world.state.integrity()).toMatchObject({ ok: false });
  });
});

describe("history", () => {
  it("lists changes with call, task, tool, times and sizes, newest first", async () => {
    await world.journal.apply([write("a", "one")], origin("c1", "t1"));
    await world.journal.apply([{ op: "move", from: "a", to: "sub/b" }], origin("c2"));
    await world.journal.undo({ callId: "c2" }, origin("c3"));
    const history = await world.journal.history();
    expect(history).toMatchObject([
      { callId: "c3", op: "undo", path: "a", from: "sub/b", undone: false },
      { callId: "c2", op: "move", path: "sub/b", from: "a", undone: true },
      { callId: "c1", taskId: "t1", op: "write", path: "a", sizeBefore: null, sizeAfter: 3, undone: false },
    ]);
    expect(await world.journal.history({ path: "sub/b", limit: 1 })).toMatchObject([{ callId: "c3" }]);
  });

  it("can be cleared, of one path or all, and then its contents are gone", async () => {
    writeFileSync(at("a"), "secret");
    await apply(write("a", "public"));
    await apply(write("b", "b"));
    expect(await world.journal.clear("a")).toBe(1);
    await expect(world.journal.undo({ path: "a" }, origin())).rejects.toMatchObject({
      code: "RESOURCE_NOT_FOUND",
    });
    expect(await world.journal.clear()).toBe(1);
    expect(await world.journal.history()).toEqual([]);
    expect(readdirSync(join(world.state.dir, "blobs"))).toEqual([]);
  });
});

describe("prune", () => {
  it("forgets the oldest beyond the size, contents too, and keeps the newest", async () => {
    const small = await openWorld(base, { limits: { maxBytes: 50_000 } });
    writeFileSync(at("f"), "0".repeat(10_000));
    for (let n = 1; n <= 10; n += 1) {
      await small.journal.apply([write("f", String(n % 10).repeat(10_000))], origin());
    }
    const { entries } = await small.journal.prune();
    expect(entries).toBeGreaterThanOrEqual(5);
    expect((await small.state.journal.usage()).bytes).toBeLessThanOrEqual(50_000);
    await small.journal.undo({ path: "f" }, origin());
    expect(text("f")).toBe("9".repeat(10_000));
    expect((await small.state.integrity()).problems).toEqual([]);
    await small.close();
  });

  it("forgets what is too old", async () => {
    await apply(write("f", "f"));
    const later = { ...systemLater };
    const old = await openWorld(base, { clock: later, limits: { maxAgeMs: 1000 } });
    expect(await old.journal.prune()).toEqual({ entries: 1, blobs: 1 });
    await old.close();
  });
});

const systemLater = {
  now: () => Date.now() + 10_000,
  monotonic: () => performance.now(),
  sleep: () => Promise.resolve(),
};

describe("a large file", () => {
  it("is linked as its own before-image and comes back byte for byte", async () => {
    writeFileSync(at("big"), Buffer.alloc(5_000_000, "abc"));
    truncateSync(at("big"), 6_000_000);
    const before = readFileSync(at("big"));
    await apply({ op: "append", path: "big", data: Buffer.from("tail") });
    expect(statSync(at("big")).size).toBe(6_000_004);
    await world.journal.undo({ path: "big" }, origin());
    expect(readFileSync(at("big")).equals(before)).toBe(true);
    writeFileSync(at("big"), "in place", { flag: "r+" });
    expect((await world.state.integrity()).ok).toBe(true);
  });
});
