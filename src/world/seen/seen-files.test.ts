import { describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.js";
import { createSeenFiles } from "./seen-files.js";
import { createSeenKeeper } from "./seen-keeper.js";

const canonical = (path: string): string => `/${path.replace(/^\.?\//, "")}`;
const sighting = (start: number, lines: readonly string[], identity = "1") => ({
  identity,
  start,
  lines,
  complete: false,
});

/** Values as the state keeps them: as JSON, with a limit. */
function createValues(most = Number.POSITIVE_INFINITY) {
  const values = new Map<string, string>();
  return {
    values,
    get: async (key: string) => (values.has(key) ? (JSON.parse(values.get(key) ?? "") as Json) : undefined),
    async set(key: string, value: Json) {
      if (!values.has(key) && values.size >= most)
        throw Object.assign(new Error("full"), { code: "QUOTA_SPENT" });
      values.set(key, JSON.stringify(value));
    },
    delete: async (key: string) => values.delete(key),
    list: async (prefix = "") => [...values.keys()].filter((key) => key.startsWith(prefix)),
  };
}

function openSession(store: ReturnType<typeof createValues>, warnings: string[] = []) {
  const work: Promise<void>[] = [];
  const keeper = createSeenKeeper({
    open: async () => store,
    onWork: (each) => void work.push(each),
    onWarning: (message) => void warnings.push(message),
  });
  const seen = createSeenFiles({ canonical, keeper });
  return { seen, saved: () => Promise.all(work) };
}

describe("createSeenFiles", () => {
  it("joins what was seen of a file, by whatever name", () => {
    const seen = createSeenFiles({ canonical });
    seen.note("a", sighting(1, ["one", "two"]));
    seen.note("./a", sighting(3, ["three"]));
    seen.note("a", sighting(10, ["ten"]));
    expect(seen.get("/a")).toEqual({
      identity: "1",
      runs: [
        { start: 1, lines: ["one", "two", "three"] },
        { start: 10, lines: ["ten"] },
      ],
      complete: false,
    });
  });

  it("says of a path whether it is real, so that no link is followed twice", () => {
    const seen = createSeenFiles({
      canonical: (path, isReal = false) => (isReal ? `/${path}` : `/real/${path}`),
    });
    seen.note("a", { ...sighting(1, ["linked"]) });
    seen.note("real/a", { ...sighting(2, ["opened"]), isRealPath: true });
    expect(seen.get("a")?.runs).toEqual([{ start: 1, lines: ["linked", "opened"] }]);
  });

  it("keeps a whole file whole while what is read again still fits", () => {
    const seen = createSeenFiles({ canonical });
    seen.note("a", { identity: "1", start: 1, lines: ["one", "two"], complete: true });
    seen.note("a", sighting(2, ["two"], "2"));
    expect(seen.get("a")).toMatchObject({ identity: "2", complete: true });
    seen.note("a", sighting(2, ["2"], "3"));
    expect(seen.get("a")).toMatchObject({ complete: false, runs: [{ start: 1, lines: ["one", "2"] }] });
  });

  it("does not mix lines that were read in different encodings", () => {
    const seen = createSeenFiles({ canonical });
    seen.note("a", sighting(1, ["\u00e9"]));
    seen.note("a", { ...sighting(2, ["\u00c3\u00a9"]), encoding: "latin1" });
    expect(seen.get("a")).toEqual({
      ...sighting(2, ["\u00c3\u00a9"]),
      start: undefined,
      lines: undefined,
      encoding: "latin1",
      runs: [{ start: 2, lines: ["\u00c3\u00a9"] }],
    });
  });

  it("forgets the files that were seen longest ago beyond its bound", () => {
    const seen = createSeenFiles({ canonical, maxChars: 30 });
    for (const name of ["a", "b", "c"]) seen.note(name, sighting(1, ["0123456789"]));
    expect(["a", "b", "c"].map((name) => seen.get(name) !== undefined)).toEqual([false, true, true]);
    seen.note("d", sighting(1, ["x".repeat(50)]));
    expect(["b", "c", "d"].map((name) => seen.get(name) !== undefined)).toEqual([true, true, false]);
  });

  it("moves and forgets a directory with all below it", () => {
    const seen = createSeenFiles({ canonical });
    seen.note("d/a", sighting(1, ["a"]));
    seen.note("dd", sighting(1, ["dd"]));
    seen.move("d", "e");
    expect([seen.get("d/a"), seen.get("e/a")?.runs]).toEqual([undefined, [{ start: 1, lines: ["a"] }]]);
    seen.forget("e");
    expect([seen.get("e/a"), seen.get("dd")?.runs.length]).toEqual([undefined, 1]);
  });
});

describe("a session that is kept", () => {
  it("is the same in its next process, what was seen in both joined", async () => {
    const store = createValues();
    const first = openSession(store);
    first.seen.note("a", sighting(1, ["one"]));
    first.seen.note("b/c", { identity: "1", start: 1, lines: ["c"], complete: true });
    await first.saved();
    const second = openSession(store);
    second.seen.note("a", sighting(2, ["two"]));
    await second.seen.load("a");
    await second.seen.load("b/c");
    expect(second.seen.get("a")?.runs).toEqual([{ start: 1, lines: ["one", "two"] }]);
    expect(second.seen.get("b/c")).toMatchObject({ complete: true });
    second.seen.move("b", "x");
    second.seen.forget("a");
    await second.saved();
    const third = openSession(store);
    for (const path of ["a", "b/c", "x/c"]) await third.seen.load(path);
    expect([third.seen.get("a"), third.seen.get("b/c"), third.seen.get("x/c")?.complete]).toEqual([
      undefined,
      undefined,
      true,
    ]);
  });

  it("keeps files that are larger than one value, and paths that are longer than a key", async () => {
    const store = createValues();
    const path = `${"long/".repeat(300)}name`;
    const lines = Array.from({ length: 30_000 }, (_, at) => `line ${at} ${"\u6f22".repeat(40)}`);
    const first = openSession(store);
    first.seen.note(path, { identity: "1", start: 1, lines, complete: true });
    await first.saved();
    for (const [key, value] of store.values) {
      expect(Buffer.byteLength(key)).toBeLessThanOrEqual(1024);
      expect(value.length).toBeLessThan(2_000_000);
    }
    const second = openSession(store);
    await second.seen.load(path);
    expect(second.seen.get(path)).toEqual({ identity: "1", runs: [{ start: 1, lines }], complete: true });
  });

  it("begins again where it may keep no more, and fails no call where it can keep nothing", async () => {
    const store = createValues(2);
    const warnings: string[] = [];
    const { seen, saved } = openSession(store, warnings);
    for (const name of ["a", "b", "c"]) seen.note(name, sighting(1, [name]));
    await saved();
    expect([...store.values.keys()]).toEqual(["/c"]);
    const broken = { ...store, set: async () => Promise.reject(new Error("disk full")) };
    const other = openSession(broken, warnings);
    other.seen.note("d", sighting(1, ["d"]));
    await other.saved();
    expect(other.seen.get("d")).toBeDefined();
    expect(warnings.join()).toContain("disk full");
  });
});
