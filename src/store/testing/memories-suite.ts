import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MemoryQuery, MemoryStore, NewMemory } from "../../contract/ports/memories.js";
import { createInsert } from "../insert-rows.js";
import type { Fixture, NewFixture } from "./drivers.js";
import { openBench, type WorkBench } from "./work-fixture.js";
import { anyCharacter } from "../../../test/setup/any-character.js";

const day = 24 * 60 * 60 * 1000;

/** What memories promise, in whatever database. */
export function memoriesSuite(newFixture: NewFixture): void {
  let fixture: Fixture;
  let bench: WorkBench;
  let memories: MemoryStore;

  beforeEach(async () => {
    fixture = await newFixture();
    bench = await openBench(fixture);
    ({ memories } = bench.stores);
  });

  afterEach(() => fixture.close());

  const save = (title: string, content = "-", more: Partial<NewMemory> = {}) =>
    memories.save({ kind: "insight", title, content, tags: [], ...more });
  const titles = async (query: MemoryQuery) => (await memories.query(query)).map(({ title }) => title);

  describe("memories", () => {
    it("are kept in the layer of the iteration and come back whole", async () => {
      const saved = await save("Retries", "Back off 退避", { kind: "issue", tags: ["net"] });
      expect(saved).toMatchObject({
        kind: "issue",
        layer: "iteration",
        iterationId: "iteration-1",
        status: "open",
      });
      expect(await memories.get(saved.id)).toEqual(saved);
      expect(await memories.query({ query: "退避" })).toEqual([{ ...saved, score: 1 }]);
      expect(await memories.get("mem-999")).toBeUndefined();
      expect(await memories.get("nonsense")).toBeUndefined();
    });

    it("are indexed by every 64th save, so that no search has to index them all", async () => {
      const indexed = async (): Promise<number> => {
        const [row] = await fixture.exec("SELECT number FROM text_progress WHERE name = 'memories'");
        return Number((row as { number?: number | string } | undefined)?.number ?? 0);
      };
      for (let at = 1; at < 64; at++) await save(`Memory ${at}`);
      expect(await indexed()).toBe(0);
      await save("Memory 64");
      expect(await indexed()).toBe(64);
      await save("Memory 65");
      expect(await indexed()).toBe(64);
      expect(await titles({ query: "65" })).toEqual(["Memory 65"]);
      expect(await indexed()).toBe(65);
    });

    it("are found by words, parts of names, other forms of a word, and words of two Chinese characters", async () => {
      await save("数据库连接", "连接池耗尽时要重试");
      await save("Migrations", "openDatabase migrates on its own; snake_case_name");
      expect(await titles({ query: "数据" })).toEqual(["数据库连接"]);
      expect(await titles({ query: "池" })).toEqual(["数据库连接"]);
      expect(await titles({ query: "重试" })).toEqual(["数据库连接"]);
      expect(await titles({ query: "试重" })).toEqual([]);
      expect(await titles({ query: "MIGRATIONS" })).toEqual(["Migrations"]);
      expect(await titles({ query: "migrating" })).toEqual(["Migrations"]);
      expect(await titles({ query: "database" })).toEqual(["Migrations"]);
      expect(await titles({ query: "snake_case" })).toEqual(["Migrations"]);
      expect(await titles({ query: "nowhere" })).toEqual([]);
    });

    it("are found by their principal, at their endpoint or by everybody, in lists, searches and by id", async () => {
      const as = (audience: { principal: string; endpoint?: string }) =>
        bench.storesAs({ audience }).memories;
      const ada = as({ principal: "ada", endpoint: "review" });
      const bob = as({ principal: "bob", endpoint: "review" });
      const eve = as({ principal: "eve" });
      const kept = { kind: "issue" as const, content: "tiger", tags: [] };
      const own = await ada.save({ ...kept, title: "own" });
      await ada.save({ ...kept, title: "endpoint", share: "endpoint" });
      const shared = await ada.save({ ...kept, title: "all", share: "all" });
      const found = async (store: MemoryStore, query?: string) =>
        (await store.query({ query, scope: "all" })).map(({ title }) => title).toSorted();
      for (const query of [undefined, "tiger"]) {
        expect(await found(ada, query)).toEqual(["all", "endpoint", "own"]);
        expect(await found(bob, query)).toEqual(["all", "endpoint"]);
        expect(await found(eve, query)).toEqual(["all"]);
        expect(await found(memories, query)).toEqual(["all", "endpoint", "own"]);
      }
      expect(own).toMatchObject({ principal: "ada" });
      expect(await bob.get(own.id)).toBeUndefined();
      await expect(bob.resolve(own.id, "done")).rejects.toThrow(/not found/);
      await expect(bob.promote(own.id, { kind: "decision" })).rejects.toThrow(/not found/);
      await expect(eve.save({ ...kept, title: "x", share: "endpoint" })).rejects.toThrow(/endpoint/);
      // Everyone who finds a memory finds what it was promoted to: the same promotion again gives that one.
      const promoted = await ada.promote(shared.id, { kind: "decision", share: "own" });
      expect((await eve.promote(shared.id, { kind: "decision" })).memory.id).toBe(promoted.memory.id);
      const opened = await ada.promote(own.id, { kind: "pattern", share: "all" });
      expect((await eve.get(opened.memory.id))?.title).toBe("own");
    });

    it("come best first: rare words before common ones, the title before the text", async () => {
      for (let n = 0; n < 30; n++) await save(`Note ${n}`, "the database is slow");
      await save("Elsewhere", "the zebra");
      await save("Zebra", "stripes");
      expect((await titles({ query: "database zebra", limit: 3 })).slice(0, 2)).toEqual([
        "Zebra",
        "Elsewhere",
      ]);
      expect(await titles({ query: "slow", limit: 2 })).toEqual(["Note 29", "Note 28"]);
    });

    it("in smart, prefer the recent where the words fit alike", async () => {
      await save("old", "cache keys");
      bench.time += 90 * day;
      await save("new", "cache keys");
      await save("newest but about something else", "cache of another kind");
      expect((await titles({ query: "cache keys" })).slice(0, 2)).toEqual(["new", "old"]);
    });

    it("of another iteration are not seen, unless promoted to the project", async () => {
      const first = await save("Use WAL", "readers never wait");
      await bench.stores.pipeline.startIteration("second");
      await save("Use PRAGMA", "readers");
      expect(await titles({ query: "readers" })).toEqual(["Use PRAGMA"]);
      expect(await titles({ query: "readers", scope: "project" })).toEqual([]);
      expect((await titles({ query: "readers", scope: "all" })).toSorted()).toEqual([
        "Use PRAGMA",
        "Use WAL",
      ]);
      const { memory, created } = await memories.promote(first.id, {
        kind: "decision",
        rationale: "measured",
      });
      expect(created).toBe(true);
      expect(memory).toMatchObject({
        kind: "decision",
        layer: "project",
        origin: first.id,
        rationale: "measured",
        title: "Use WAL",
      });
      expect(await memories.get(first.id)).toMatchObject({ promotedTo: [memory.id] });
      expect((await titles({ query: "readers" })).toSorted()).toEqual(["Use PRAGMA", "Use WAL"]);
      expect(await titles({ query: "measured", scope: "project" })).toEqual(["Use WAL"]);
      expect(await titles({ scope: "iteration" })).toEqual(["Use PRAGMA"]);
    });

    it("speak once in smart where they were promoted, and can be promoted once to each kind", async () => {
      const learning = await save("Retry", "with jitter", { kind: "learning" });
      const pattern = await memories.promote(learning.id, { kind: "pattern", whenToUse: "network" });
      expect(pattern.memory).toMatchObject({ kind: "pattern", whenToUse: "network" });
      const again = await memories.promote(learning.id, { kind: "pattern", whenToUse: "other" });
      expect(again).toEqual({ memory: pattern.memory, created: false });
      expect((await memories.query({ query: "jitter" })).map(({ id }) => id)).toEqual([pattern.memory.id]);
      expect((await memories.query({})).map(({ id }) => id)).toEqual([pattern.memory.id]);
      expect(await memories.query({ query: "jitter", scope: "all" })).toHaveLength(2);
      const decision = await memories.promote(pattern.memory.id, { kind: "decision" });
      expect(decision.memory).toMatchObject({ kind: "decision", origin: pattern.memory.id });
      await expect(memories.promote(pattern.memory.id, { kind: "pattern" })).rejects.toMatchObject({
        code: "VALUE_INVALID",
      });
      await expect(memories.promote("mem-77", { kind: "pattern" })).rejects.toThrow(/not found/);
    });

    it("of kind issue are resolved once, and found by how", async () => {
      const issue = await save("Flaky", "sometimes red", { kind: "issue" });
      const note = await save("A note");
      const resolved = await memories.resolve(issue.id, "await the event 事件");
      expect(resolved).toMatchObject({
        status: "resolved",
        resolution: "await the event 事件",
        resolvedAt: bench.time,
      });
      expect(await titles({ query: "事件" })).toEqual(["Flaky"]);
      await expect(memories.resolve(issue.id, "again")).rejects.toThrow(/resolved before/);
      await expect(memories.resolve(note.id, "no")).rejects.toMatchObject({ code: "VALUE_INVALID" });
      await expect(memories.resolve("mem-99", "no")).rejects.toMatchObject({ code: "RESOURCE_NOT_FOUND" });
    });

    it("without a query come newest first, by kind and within the limit", async () => {
      for (let n = 1; n <= 5; n++) await save(`i${n}`);
      await save("issue", "-", { kind: "issue" });
      expect(await titles({ limit: 2 })).toEqual(["issue", "i5"]);
      expect(await titles({ kind: "insight", limit: 3 })).toEqual(["i5", "i4", "i3"]);
      expect(await titles({ kind: "issue", query: "issue" })).toEqual(["issue"]);
      expect(await titles({ kind: "learning", query: "issue" })).toEqual([]);
      expect(await titles({ limit: -5 })).toEqual(["issue"]);
    });

    it("answer hostile queries with nothing or with what fits, never with an error", async () => {
      await save("NEAR the end", `it's "quoted" OR not`);
      const hostile = [
        `"`,
        `""""`,
        `a" OR "b`,
        `NEAR(a b, 3)`,
        `title:x`,
        `-a`,
        `*`,
        `a*`,
        `^a`,
        `{a b}:c`,
        `a AND`,
        `(((`,
        `'; DROP TABLE memories; --`,
        `\0`,
        `a\0b`,
        `& | ! <-> :*`,
        `\\'`,
        `%_`,
        "x".repeat(100_000),
        "数".repeat(100_000),
        Array.from({ length: 5000 }, (_, n) => `w${n}`).join(" "),
        "\u{1F600}\u200d\ufe0f",
        "ﷺ".repeat(500),
      ];
      for (const query of hostile)
        expect(await memories.query({ query }), query.slice(0, 40)).toBeInstanceOf(Array);
      expect(await titles({ query: `NEAR("quoted")` })).toEqual(["NEAR the end"]);
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 60 }), async (query) => {
          expect(await memories.query({ query })).toBeInstanceOf(Array);
        }),
        { numRuns: 30 },
      );
    });

    it("are all indexed, by many processes too, and survive a restart", async () => {
      const other = await openBench(fixture, "other");
      const both = [memories, other.stores.memories] as const;
      await Promise.all(
        Array.from({ length: 150 }, (_, n) =>
          both[(n % 2) as 0 | 1].save({
            kind: "insight",
            title: `t${n}`,
            content: `unique${n} shared`,
            tags: [],
          }),
        ),
      );
      const again = await openBench(fixture, "later");
      expect(await again.stores.memories.count()).toBe(150);
      for (const n of [0, 63, 64, 65, 149]) {
        expect(await again.stores.memories.query({ query: `unique${n}` })).toMatchObject([
          { title: `t${n}` },
        ]);
      }
      expect(await again.stores.memories.query({ query: "shared", limit: 100 })).toHaveLength(100);
    });

    it("find an old memory that holds all words, behind hundreds that hold one", async () => {
      await save("both", "alpha beta");
      const words = Array.from({ length: 1300 }, (_, n) => (n % 2 === 0 ? "alpha" : "beta"));
      // At once: what is tried is the search, and it indexes rows that it does not know.
      const columns = ["kind", "layer", "iteration", "title", "content", "tags", "created_at", "agent"];
      const rows = words.map((word) => ["learning", "iteration", 1, word, word, "[]", bench.time, "tester"]);
      await bench.state.sql.transaction((tx) => createInsert({ table: "memories", columns })(tx, rows));
      expect(await memories.count()).toBe(1301);
      expect((await titles({ query: "alpha beta", limit: 1 }))[0]).toBe("both");
      expect(await titles({ query: "alpha", limit: 100 })).toHaveLength(100);
    });
  });
}
