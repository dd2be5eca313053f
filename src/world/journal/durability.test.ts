import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileMutation } from "../../contract/ports/files.js";
import type { JournalStore } from "../../contract/ports/journal.js";
import { openBelow } from "../testing/open-below.js";
import { chooseOpener, type Handle, type Opener } from "../files/opener.js";
import { openWorld, origin, type World } from "./testing/open-world.js";

let base: string;
let worlds: World[];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-durability-"));
  mkdirSync(join(base, "ws/sub"), { recursive: true });
  worlds = [];
});

afterEach(async () => {
  for (const world of worlds) await world.close();
  rmSync(base, { recursive: true, force: true });
});

async function open(options: Parameters<typeof openWorld>[1] = {}): Promise<World> {
  const world = await openWorld(base, options);
  worlds.push(world);
  return world;
}

function at(path: string): string {
  return join(base, "ws", path);
}

function write(path: string, content: string): FileMutation {
  return { op: "write", path, data: Buffer.from(content) };
}

/** An opener that records which directories are opened again to be flushed. */
function watchFlushes(record: (real: string) => void): Opener {
  const opener = chooseOpener();
  const watched = (handle: Handle): Handle =>
    new Proxy(handle, {
      get: (target, key) => {
        if (key === "reopen" && target.stat.isDirectory()) {
          return (flags: number) => {
            record(target.real);
            return target.reopen(flags);
          };
        }
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return {
    kind: opener.kind,
    open: (absolute) => watched(opener.open(absolute)),
    openChild: (parent, name, real) => watched(opener.openChild(parent, name, real)),
  };
}

/** The store of a world whose word about ends is recorded. */
function watchEnds(store: JournalStore, record: (durable: boolean) => void): JournalStore {
  return {
    ...bound(store),
    fenced: (fence) => watchEnds(store.fenced(fence), record),
    finish: (id, options) => {
      record(options?.durable !== false);
      return store.finish(id, options);
    },
  };
}

function bound<Value extends object>(value: Value): Value {
  return new Proxy(value, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
    ownKeys: (target) => [
      ...Reflect.ownKeys(target),
      ...Reflect.ownKeys(Object.getPrototypeOf(target) as object),
    ],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });
}

/** How many files below a folder this process refers to that have no name any more. */
function heldBelow(folder: string): number {
  return openBelow(folder).filter((path) => path.endsWith(" (deleted)")).length;
}

describe("a change that must survive a power cut", () => {
  it("flushes every directory that it changed before it is done", async () => {
    writeFileSync(at("gone"), "gone");
    writeFileSync(at("moved"), "moved");
    mkdirSync(at("new"));
    const flushed: string[] = [];
    const points: string[] = [];
    const world = await open({
      opener: watchFlushes((real) => flushed.push(real)),
      failpoint: (step) => {
        if (step === "stepped") flushed.length = 0;
        if (step === "taken") points.push(...flushed);
      },
    });
    const mutations: FileMutation[] = [
      write("sub/a", "a"),
      { op: "delete", path: "gone" },
      { op: "move", from: "moved", to: "new/moved" },
    ];
    await world.journal.apply(mutations, origin());
    expect(new Set(points)).toEqual(new Set([world.root, join(world.root, "sub"), join(world.root, "new")]));
  });

  it("flushes what it took back, too", async () => {
    writeFileSync(at("sub/a"), "before");
    const flushed: string[] = [];
    const world = await open({
      opener: watchFlushes((real) => flushed.push(real)),
      failpoint: (step) => {
        if (step === "retreated") flushed.length = 0;
        if (step === "rolled back") expect(flushed).toContain(join(world.root, "sub"));
        if (step === "stepped") throw new Error("full");
      },
    });
    await expect(world.journal.apply([write("sub/a", "after")], origin())).rejects.toThrow("full");
    expect(readFileSync(at("sub/a"), "utf8")).toBe("before");
    expect(flushed).toContain(join(world.root, "sub"));
  });

  it.runIf(process.platform === "linux")("holds replaced large files until then, and no longer", async () => {
    const names = Array.from({ length: 40 }, (_, at) => `large-${at}`);
    for (const name of names) writeFileSync(at(name), Buffer.alloc(1 << 20, "a"));
    const held: number[] = [];
    const world = await open({
      opener: watchFlushes((real) => real === world.root && held.push(heldBelow(real))),
    });
    await world.journal.apply(
      names.map((name) => ({ op: "write", path: name, data: Buffer.alloc(1 << 20, "b") })),
      origin(),
    );
    expect(held.at(-1)).toBeGreaterThanOrEqual(32);
    await expect.poll(() => heldBelow(world.root)).toBe(0);
  });

  it("waits for the word that moves are done, which the disk alone could not tell, and only for that", async () => {
    writeFileSync(at("a"), "a");
    const first = await open();
    const ends: boolean[] = [];
    const store = watchEnds(first.state.journal, (durable) => ends.push(durable));
    const world = await open({ store });
    await world.journal.apply([write("b", "b")], origin());
    await world.journal.apply([{ op: "move", from: "a", to: "c" }], origin());
    await world.journal.apply([{ op: "move", from: "c", to: "d" }, write("e", "e")], origin());
    expect(ends).toEqual([false, true, true]);
  });
});

describe("a change that fails", () => {
  it("before its first step is forgotten at once, with all that was prepared", async () => {
    const world = await open({
      failpoint: (step) => {
        if (step === "staged") throw new Error("full");
      },
    });
    await expect(world.journal.apply([write("sub/a", "a")], origin())).rejects.toThrow("full");
    expect(await world.state.journal.unfinished()).toEqual([]);
    expect(readdirSync(at("sub"))).toEqual([]);
  });

  it("and cannot be taken back is left to recover(), which tries again; other changes pass it by", async () => {
    writeFileSync(at("a"), "before");
    const warnings: string[] = [];
    let failing = true;
    const world = await open({
      onWarning: (message) => warnings.push(message),
      failpoint: (step) => {
        if (step !== "stepped" || !failing) return;
        rmSync(at("a"));
        mkdirSync(at("a"));
        throw new Error("full");
      },
    });
    await expect(world.journal.apply([write("a", "after")], origin())).rejects.toMatchObject({
      code: "CALL_INTERRUPTED",
      message: expect.stringMatching(/failed \(full\).*could be reverted: .*a was/) as string,
    });
    failing = false;
    expect(warnings).toHaveLength(1);
    await world.journal.apply([write("b", "b")], origin());
    expect(warnings).toHaveLength(1);
    const [entry] = await world.state.journal.unfinished();
    expect(await world.journal.recover()).toEqual({
      completed: 0,
      rolledBack: 0,
      failed: [{ id: entry?.id, problems: [expect.stringContaining("a") as string] }],
    });
    expect(warnings).toHaveLength(2);
    rmSync(at("a"), { recursive: true });
    expect(await world.journal.recover()).toEqual({ completed: 0, rolledBack: 1, failed: [] });
    expect(readFileSync(at("a"), "utf8")).toBe("before");
    expect(await world.journal.recover()).toEqual({ completed: 0, rolledBack: 0, failed: [] });
  });
});

describe("history", () => {
  it("gives as many changes as asked for, the newest first, and none for a number that is none", async () => {
    const world = await open();
    for (const name of ["a", "b", "c"]) await world.journal.apply([write(name, name)], origin());
    const pathsOf = async (limit: number): Promise<string[]> =>
      (await world.journal.history({ limit })).map(({ path }) => path);
    expect(await pathsOf(2)).toEqual(["c", "b"]);
    expect(await pathsOf(2.9)).toEqual(["c", "b"]);
    expect(await pathsOf(1e9)).toEqual(["c", "b", "a"]);
    for (const none of [0, -1, Number.NaN, 0.5]) expect(await pathsOf(none)).toEqual([]);
    await world.journal.apply([{ op: "move", from: "a", to: "d" }], origin());
    expect(await world.journal.history({ path: "d" })).toMatchObject([{ path: "d", from: "a" }]);
    expect(existsSync(at("d"))).toBe(true);
  });
});
