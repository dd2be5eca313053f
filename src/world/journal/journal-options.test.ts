import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileMutation } from "../../contract/ports/files.js";
import type { ChangeOrigin, JournalStore } from "../../contract/ports/journal.js";
import { openWorld, origin, type World } from "./testing/open-world.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
let worlds: World[];

beforeEach(() => {
  base = tempDir("options");
  mkdirSync(join(base, "ws"));
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

const at = (path: string): string => join(base, "ws", path);
const write = (path: string, content = "new"): FileMutation => ({
  op: "write",
  path,
  data: Buffer.from(content),
});

/** A store, some of whose functions are others, also behind the fence of a lock. */
function withStore(store: JournalStore, own: Partial<JournalStore>): JournalStore {
  return { ...store, fenced: (fence) => withStore(store.fenced(fence), own), ...own };
}

describe("the journal", () => {
  it("keeps 30 days and a gigabyte, unless it is told otherwise", async () => {
    const { state } = await open();
    const asked: unknown[] = [];
    const store = withStore(state.journal, { prune: async (limits) => (asked.push(limits), 0) });
    await (await open({ store })).journal.prune();
    await (await open({ store, limits: { maxAgeMs: 5 } })).journal.prune();
    await (await open({ store, limits: { maxBytes: 6 } })).journal.prune();
    const [maxAgeMs, maxBytes] = [2_592_000_000, 1_073_741_824];
    expect(asked).toEqual([
      { maxAgeMs, maxBytes },
      { maxAgeMs: 5, maxBytes },
      { maxAgeMs, maxBytes: 6 },
    ]);
  });

  it("forgets what is past its limits with every 64th change, and a fault there costs no change", async () => {
    const { state } = await open();
    const warnings: string[] = [];
    let pruned = 0;
    const prune = (): Promise<number> => {
      pruned += 1;
      return pruned === 1 ? Promise.resolve(0) : Promise.reject(new Error("no room"));
    };
    const store = withStore(state.journal, { prune });
    const { journal } = await open({ store, onWarning: (text) => warnings.push(text) });
    const changes = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, n) => journal.apply([write(`f${n % 3}`, `${n}`)], origin())),
      );
    await changes(63);
    expect(pruned).toBe(0);
    await changes(1);
    expect(pruned).toBe(1);
    await changes(64);
    expect(warnings).toEqual(["The journal was not pruned: Error: no room"]);
    expect(await journal.history({ limit: 1000 })).toHaveLength(128);
  });

  it("looks for what others left unfinished once for a series of changes, and again after a failure", async () => {
    const { state } = await open();
    let looks = 0;
    const store = withStore(state.journal, { unfinished: () => ((looks += 1), state.journal.unfinished()) });
    const { journal } = await open({ store });
    await Promise.all([journal.apply([write("a")], origin()), journal.apply([write("b")], origin())]);
    expect(looks).toBe(1);
    const failing = [journal.apply([write("../x")], origin()), journal.apply([write("c")], origin())];
    await Promise.allSettled(failing);
    expect(looks).toBe(2);
  });

  it("writes as the holder of its lock, whose name is that of its workspace", async () => {
    const { state } = await open();
    const fences: number[] = [];
    const names: string[] = [];
    const store = {
      ...state.journal,
      fenced: (fence: number) => (fences.push(fence), state.journal.fenced(fence)),
    };
    const locks: World["state"]["locks"] = {
      ...state.locks,
      acquire: (wanted, ...rest) => (
        names.push(...wanted.map(({ key }) => key)),
        state.locks.acquire(wanted, ...rest)
      ),
    };
    const { journal } = await open({ store, locks, place: "here" });
    await Promise.all([journal.apply([write("a")], origin()), journal.apply([write("b")], origin())]);
    await expect.poll(() => state.locks.list()).toEqual([]);
    await journal.apply([write("c")], origin());
    expect(names).toEqual(["journal:here", "journal:here"]);
    expect(new Set(fences).size).toBe(2);
    expect(fences).toHaveLength(2);
  });

  it("works without locks that processes share", async () => {
    const { journal } = await open({ locks: undefined as never });
    await journal.apply([write("a")], origin("one"));
    await journal.undo({ callId: "one" }, origin());
    expect(existsSync(at("a"))).toBe(false);
  });

  it("writes no file that is larger than allowed", async () => {
    const { journal } = await open({ maxFileSize: 3 });
    await journal.apply([write("a", "123")], origin());
    await expect(journal.apply([write("a", "1234")], origin())).rejects.toMatchObject({
      code: "FILE_TOO_LARGE",
    });
    expect(readFileSync(at("a"), "utf8")).toBe("123");
  });

  it("asks for changes only once it holds the lock, and gives back what was asked for", async () => {
    const { journal, state } = await open();
    let held: unknown;
    const asked = await journal.apply(async () => {
      held = (await state.locks.list()).length;
      return [write("a")];
    }, origin());
    expect(held).toBe(1);
    expect(asked).toMatchObject([{ op: "write", path: "a" }]);
  });
});

describe("the history", () => {
  it("asks the store for a hundred changes, or as many as are wanted, ten thousand at most", async () => {
    const { state } = await open();
    const asked: unknown[] = [];
    const store = withStore(state.journal, { history: async (query) => (asked.push(query), []) });
    const { journal, root } = await open({ store });
    await journal.history();
    await journal.history({ limit: 10_001 });
    await journal.history({ limit: 9_999.9 });
    writeFileSync(at("real"), "");
    symlinkSync("real", at("link"));
    await journal.history({ path: "link", limit: 3 });
    expect(asked).toEqual([
      { limit: 100 },
      { limit: 10_000 },
      { limit: 9_999 },
      { limit: 3, path: join(root, "link") },
      { limit: 3, path: join(root, "real") },
    ]);
  });

  it("of a link has its own changes and those of its goal, the newest first, no more than wanted", async () => {
    const { journal } = await open();
    writeFileSync(at("real"), "");
    symlinkSync("real", at("link"));
    await journal.apply([write("link", "1")], origin("first"));
    await journal.apply([{ op: "move", from: "link", to: "other" }], origin("second"));
    await journal.apply([{ op: "move", from: "other", to: "link" }], origin("third"));
    await journal.apply([write("link", "2")], origin("fourth"));
    const callsOf = async (limit: number) =>
      (await journal.history({ path: "link", limit })).map(({ callId }) => callId);
    expect(await callsOf(10)).toEqual(["fourth", "third", "second", "first"]);
    expect(await callsOf(3)).toEqual(["fourth", "third", "second"]);
    expect(await journal.clear("link")).toBe(4);
    expect(await journal.history()).toEqual([]);
  });
});

describe("what a session may see", () => {
  const by = (sessionId: string, callId: string): ChangeOrigin => ({ ...origin(callId), sessionId });
  const mine = { sees: (sessionId: string) => sessionId === "mine" };

  it("is all that it gets to know and to undo", async () => {
    const { journal } = await open();
    await journal.apply([write("a", "mine")], by("mine", "c1"));
    await journal.apply([write("a", "theirs"), write("b", "theirs")], by("theirs", "c2"));
    expect((await journal.history({}, mine)).map(({ callId }) => callId)).toEqual(["c1"]);
    expect(await journal.history({}, { sees: () => true })).toHaveLength(3);
    expect((await journal.history({ limit: 2 }, { sees: () => true })).map(({ callId }) => callId)).toEqual([
      "c2",
      "c2",
    ]);
    for (const what of [{ callId: "c2" }, { path: "b" }]) {
      const missing = { code: "RESOURCE_NOT_FOUND" };
      await expect(journal.undo(what, by("mine", "u"), mine)).rejects.toMatchObject(missing);
      await expect(journal.touchedBy(what, mine)).rejects.toMatchObject(missing);
      await expect(journal.previewUndo(what, mine)).rejects.toMatchObject(missing);
    }
    // Their later change stands in the way of its own.
    await expect(journal.undo({ callId: "c1" }, by("mine", "u"), mine)).rejects.toMatchObject({
      code: "FILE_CONFLICT",
    });
    expect(readFileSync(at("a"), "utf8")).toBe("theirs");
  });
});

describe("looking at an undo", () => {
  it("names the paths that it would change, those of a move twice, and no folders on the way", async () => {
    const { journal } = await open();
    writeFileSync(at("old"), "");
    await journal.apply([{ op: "move", from: "old", to: "new/deep/name" }, write("other/file")], origin("c"));
    expect(await journal.touchedBy({ callId: "c" })).toEqual(["other/file", "old", "new/deep/name"]);
  });

  it("changes nothing, neither in the workspace nor in the state, and can be forced as the undo can", async () => {
    const { journal, state, root } = await open();
    writeFileSync(at("a"), "before\n");
    await journal.apply([write("a", "after\n")], origin("c"));
    const blobs = readdirSync(join(state.dir, "blobs")).sort();
    expect(await journal.previewUndo({ callId: "c" })).toMatchObject({
      files: [{ path: "a", restoredContentLen: 7, previousContentLen: 6 }],
      diff: expect.stringMatching(/-after\n\+before\n/) as string,
    });
    writeFileSync(at("a"), "theirs\n");
    await expect(journal.previewUndo({ callId: "c" })).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    const forced = await journal.previewUndo({ callId: "c" }, { force: true });
    expect(forced.diff).toMatch(/-theirs\n\+before\n/);
    expect(readdirSync(root)).toEqual(["a"]);
    expect(readFileSync(at("a"), "utf8")).toBe("theirs\n");
    expect(readdirSync(join(state.dir, "blobs")).sort()).toEqual(blobs);
    expect(await journal.history()).toHaveLength(1);
  });
});
