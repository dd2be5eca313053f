import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileMutation } from "../../contract/ports/files.js";
import type { JournalStore } from "../../contract/ports/journal.js";
import type { LockStore } from "../../contract/ports/locks.js";
import { lockLost } from "../../store/locks.js";
import { layerAdoptions, plantLayer } from "./testing/layer-changes.js";
import { openWorld, origin, type World } from "./testing/open-world.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
let worlds: World[];

beforeEach(() => {
  base = tempDir("execute");
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

describe("the steps of a change", () => {
  /** What the journal and the disk say at each point of a change. */
  async function watch(
    change: (world: World) => Promise<unknown>,
    paths: readonly string[],
  ): Promise<unknown[]> {
    const looks: unknown[] = [];
    const first = await open();
    const look = (name: string) => async (): Promise<void> => {
      const [entry] = await first.state.journal.unfinished();
      const there = paths.filter((path) => existsSync(at(path))).join(" ");
      looks.push([name, entry?.phase, there]);
    };
    // The journal waits for each of these before it goes on.
    const pausing = (name: keyof JournalStore): Partial<JournalStore> => ({
      [name]: async (...args: never[]) => {
        await look(`before ${name}`)();
        return (first.state.journal[name] as (...given: never[]) => unknown)(...args);
      },
    });
    const store = withStore(
      first.state.journal,
      Object.assign(
        {},
        ...(["begin", "commit", "clean", "finish", "discard"] as const).map(pausing),
      ) as object,
    );
    const world = await open({ store });
    await change(world);
    await look("at the end")();
    return looks;
  }

  it("are recorded before they are prepared, taken once all is prepared, and over at last", async () => {
    writeFileSync(at("old"), "old");
    const mutations = [write("made"), { op: "delete", path: "old" } as const];
    expect(await watch(({ journal }) => journal.apply(mutations, origin()), ["old", "made"])).toEqual([
      ["before begin", undefined, "old"],
      ["before commit", "staging", "old"],
      ["before clean", "committing", "made"],
      ["before finish", "cleaning", "made"],
      ["at the end", undefined, "made"],
    ]);
    expect(readdirSync(at(""))).toEqual(["made"]);
  });

  it("that remove nothing need not be cleaned up after", async () => {
    expect(await watch(({ journal }) => journal.apply([write("made")], origin()), ["made"])).toEqual([
      ["before begin", undefined, ""],
      ["before commit", "staging", ""],
      ["before finish", "committing", "made"],
      ["at the end", undefined, "made"],
    ]);
  });

  it("of a command are only renames: they are prepared from the beginning", async () => {
    rmSync(base, { recursive: true });
    mkdirSync(base);
    plantLayer(base);
    const begun: unknown[] = [];
    const first = await open();
    const store = withStore(first.state.journal, {
      begin: (entry, options) => (
        begun.push([entry.kind, options]),
        first.state.journal.begin(entry, options)
      ),
      commit: () => Promise.reject(new Error("there is nothing to commit")),
    });
    const world = await open({ store });
    expect(await world.journal.adopt(async () => [], origin())).toBe(0);
    expect(begun).toEqual([]);
    expect(await world.journal.adopt(async () => layerAdoptions(base), origin())).toBeGreaterThan(5);
    expect(begun).toEqual([["change", { prepared: true }]]);
  });

  it("are none where nothing is to be done", async () => {
    const world = await open();
    expect(await world.journal.apply([], origin())).toEqual([]);
    expect(await world.journal.history()).toEqual([]);
  });

  it("name the path of the caller where the system fails", async () => {
    const world = await open({
      failpoint: (step) => {
        if (step === "committing")
          throw Object.assign(new Error("EIO: i/o error"), { code: "EIO", syscall: "open" });
      },
    });
    await expect(world.journal.apply([write("deep/name.txt")], origin())).rejects.toMatchObject({
      code: "FILE_IO",
      message: expect.stringContaining('"deep/name.txt"') as string,
    });
  });

  it("give up contents that nobody needs any more", async () => {
    const removed: string[] = [];
    const first = await open();
    const { journal, blobs } = first.state;
    const store = withStore(journal, {
      finish: async (id, options) => [...(await journal.finish(id, options)), "unneeded"],
    });
    const world = await open({ store, blobs: { ...blobs, remove: (hash) => void removed.push(hash) } });
    await world.journal.apply([write("made")], origin());
    expect(removed).toEqual(["unneeded"]);
  });
});

describe("what cannot be tidied up", () => {
  it("after a removal stays under its temporary name, with a warning, and the change counts", async () => {
    mkdirSync(at("gone"));
    const warnings: string[] = [];
    const { guard } = await open();
    const removeTree = (): Promise<never> => Promise.reject(new Error("it is busy"));
    const world = await open({ guard: { ...guard, removeTree }, onWarning: (text) => warnings.push(text) });
    await world.journal.apply([{ op: "delete", path: "gone", recursive: true }], origin());
    expect(existsSync(at("gone"))).toBe(false);
    expect(warnings).toEqual([
      expect.stringMatching(/^A deleted file could not be removed and is still at .*: it is busy$/) as string,
    ]);
    expect(await world.state.journal.unfinished()).toEqual([]);
    expect(await world.journal.history()).toHaveLength(1);
  });

  it("before the first step is left to the next start, with a warning", async () => {
    const warnings: string[] = [];
    const first = await open();
    const store = withStore(first.state.journal, { discard: () => Promise.reject(new Error("no state")) });
    const world = await open({
      store,
      onWarning: (text) => warnings.push(text),
      failpoint: (step) => {
        if (step === "staged") throw new Error("full");
      },
    });
    await expect(world.journal.apply([write("made")], origin())).rejects.toThrow("full");
    expect(warnings).toEqual(["An unfinished change could not be cleaned up: Error: no state"]);
    expect(await first.journal.recover()).toEqual({ completed: 0, rolledBack: 1, failed: [] });
  });

  it("names the first three faults where a change can be taken back only in part", async () => {
    const names = ["a", "b", "c", "d"];
    for (const name of names) writeFileSync(at(name), "before");
    const warnings: string[] = [];
    let taken = 0;
    const world = await open({
      onWarning: (text) => warnings.push(text),
      failpoint: (step) => {
        if (step !== "stepped" || (taken += 1) < names.length) return;
        for (const name of names) {
          rmSync(at(name));
          mkdirSync(at(name));
        }
        throw new Error("full");
      },
    });
    const error = await world.journal
      .apply(
        names.map((name) => write(name)),
        origin(),
      )
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "CALL_INTERRUPTED",
      hint: "Check the files before you make the call again.",
      message: expect.stringMatching(
        /^The change failed \(full\), and not all of it could be reverted: [^;]*;[^;]*;[^;]*\.$/,
      ) as string,
    });
    expect(warnings).toHaveLength(4);
    expect(warnings[0]).toMatch(/^A change could not be reverted: .*\/d was /);
    expect(await world.state.journal.unfinished()).toMatchObject([{ phase: "failed" }]);
  });
});

describe("a process that is killed", () => {
  /** Begin a change in a process that is dead from the moment on at which it would call the store like this. */
  async function dieAt(
    point: "commit" | "clean" | "finish",
    mutations: readonly FileMutation[],
  ): Promise<void> {
    const first = await open();
    let isDead = false;
    const dead = (): Promise<never> => {
      isDead = true;
      return Promise.reject(new Error("killed"));
    };
    const locks: LockStore = {
      ...first.state.locks,
      acquire: async (...wanted) => ({
        ...(await first.state.locks.acquire(...wanted)),
        check: async () => {
          if (isDead) throw lockLost("of the journal");
        },
      }),
    };
    const store = withStore(first.state.journal, { discard: dead, fail: dead, [point]: dead });
    const { journal } = await open({ store, locks });
    await expect(journal.apply(mutations, origin())).rejects.toThrow(/killed|interrupted/);
    expect(await first.state.journal.unfinished()).toHaveLength(1);
  }

  it.each([
    ["commit", { completed: 0, rolledBack: 1 }, "before", "before"],
    ["clean", { completed: 0, rolledBack: 1 }, "before", "before"],
    ["finish", { completed: 1, rolledBack: 0 }, "after", undefined],
  ] as const)(
    "before %s leaves a change that the next one completes or takes back",
    async (point, report, text, gone) => {
      writeFileSync(at("file"), "before");
      writeFileSync(at("gone"), "before");
      await dieAt(point, [write("file", "after"), { op: "delete", path: "gone" }]);
      const next = await open();
      expect(await next.journal.recover()).toEqual({ ...report, failed: [] });
      expect(readFileSync(at("file"), "utf8")).toBe(text);
      expect(existsSync(at("gone")) ? readFileSync(at("gone"), "utf8") : undefined).toBe(gone);
      expect(readdirSync(at("")).filter((name) => name.startsWith("."))).toEqual([]);
    },
  );

  it("after the only step leaves a change that is complete, which the next change finds", async () => {
    await dieAt("finish", [write("file", "after")]);
    const next = await open();
    await next.journal.apply([write("other")], origin());
    expect(await next.state.journal.unfinished()).toEqual([]);
    expect((await next.journal.history()).map(({ path }) => path)).toEqual(["other", "file"]);
  });
});
