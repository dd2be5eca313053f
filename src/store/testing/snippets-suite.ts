import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewSnippet, SnippetStore } from "../../contract/ports/snippets.js";
import type { Fixture, NewFixture } from "./drivers.js";
import { openBench, type WorkBench } from "./work-fixture.js";

const snippet = (name: string, more: Partial<NewSnippet> = {}): NewSnippet => ({
  name,
  code: `code of ${name}`,
  description: "",
  language: "plaintext",
  tags: [],
  ...more,
});

/** What snippets promise, in whatever database. */
export function snippetsSuite(newFixture: NewFixture): void {
  let fixture: Fixture;
  let bench: WorkBench;
  let snippets: SnippetStore;

  beforeEach(async () => {
    fixture = await newFixture();
    bench = await openBench(fixture);
    ({ snippets } = bench.stores);
  });

  afterEach(() => fixture.close());

  describe("snippets", () => {
    it("come back whole by name and by id", async () => {
      const given = snippet("retry", {
        code: "a\r\n\tb '\"\\ 数据 🎉",
        tags: ["net", "重试"],
        language: "ts",
      });
      const { id, created } = await snippets.save(given);
      expect(created).toBe(true);
      const whole = { ...given, id, version: 1, createdAt: bench.time, updatedAt: bench.time };
      expect(await snippets.load("retry")).toEqual(whole);
      expect(await snippets.load(id)).toEqual(whole);
      expect(await snippets.load("nothing")).toBeUndefined();
    });

    it("keep id, time of creation and history when saved again", async () => {
      const { id } = await snippets.save(snippet("a", { code: "one", tags: ["x"] }));
      const createdAt = bench.time;
      bench.time += 1000;
      expect(await snippets.save(snippet("a", { code: "two" }))).toEqual({ id, name: "a", created: false });
      bench.time += 1000;
      await snippets.save(snippet("a", { code: "three" }));
      const now = await snippets.load("a");
      expect(now).toMatchObject({
        id,
        code: "three",
        tags: [],
        version: 3,
        createdAt,
        updatedAt: bench.time,
      });
      expect(await snippets.history(id)).toMatchObject([
        { version: 2, code: "two", savedAt: createdAt + 1000 },
        { version: 1, code: "one", tags: ["x"], savedAt: createdAt, agent: "tester" },
      ]);
    });

    it("prefer a name to an id that reads the same", async () => {
      const { id } = await snippets.save(snippet("first"));
      await snippets.save(snippet(id, { code: "named like an id" }));
      expect(await snippets.load(id)).toMatchObject({ code: "named like an id" });
    });

    it("are listed by name, tags, language and words, without their code", async () => {
      await snippets.save(snippet("zip", { language: "Python", tags: ["Files", "archive"] }));
      await snippets.save(
        snippet("fetch", { language: "typescript", tags: ["net"], description: "带重试的请求" }),
      );
      await snippets.save(snippet("backoff", { language: "TypeScript", tags: ["net", "files"] }));
      const names = async (filter?: Parameters<SnippetStore["list"]>[0]) =>
        (await snippets.list(filter)).map(({ name }) => name);
      expect(await names()).toEqual(["backoff", "fetch", "zip"]);
      expect(await names({ tags: ["FILES"] })).toEqual(["backoff", "zip"]);
      expect(await names({ tags: ["net", "files"] })).toEqual(["backoff"]);
      expect(await names({ language: "typescript" })).toEqual(["backoff", "fetch"]);
      expect(await names({ query: "重试" })).toEqual(["fetch"]);
      expect(await names({ query: "archive" })).toEqual(["zip"]);
      expect(await names({ query: "net", language: "python" })).toEqual([]);
      expect(await names({ query: "  " })).toEqual(["backoff", "fetch", "zip"]);
      expect((await snippets.list())[0]).not.toHaveProperty("code");
    });

    it("are found by their newest text only, and not at all when removed", async () => {
      await snippets.save(snippet("a", { description: "zebra" }));
      expect(await snippets.list({ query: "zebra" })).toHaveLength(1);
      await snippets.save(snippet("a", { description: "lion" }));
      expect(await snippets.list({ query: "zebra" })).toEqual([]);
      expect(await snippets.list({ query: "lion" })).toHaveLength(1);
      expect(await snippets.remove("a")).toMatchObject({ name: "a", version: 2 });
      expect(await snippets.list({ query: "lion" })).toEqual([]);
      expect(await snippets.remove("a")).toBeUndefined();
      expect(await snippets.load("a")).toBeUndefined();
      const again = await snippets.save(snippet("a", { description: "tiger" }));
      expect(await snippets.list({ query: "tiger" })).toHaveLength(1);
      expect(await snippets.history(again.id)).toEqual([]);
    });

    it("lose nothing when two save the same name at once", async () => {
      const other = (await openBench(fixture, "other")).stores.snippets;
      await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          (n % 2 === 0 ? snippets : other).save(snippet("a", { code: String(n) })),
        ),
      );
      const now = await snippets.load("a");
      const history = await snippets.history("a");
      expect(now?.version).toBe(40);
      const codes = [now?.code, ...history.map(({ code }) => code)].map(Number).sort((one, two) => one - two);
      expect(codes).toEqual(Array.from({ length: 40 }, (_, n) => n));
    });

    it("survive any sound text", async () => {
      const text = fc.string({ unit: "grapheme", maxLength: 50 }).filter((value) => !value.includes("\0"));
      await fc.assert(
        fc.asyncProperty(
          text.filter((name) => name !== ""),
          text,
          text,
          async (name, code, tag) => {
            await snippets.save(snippet(name, { code, tags: [tag] }));
            expect(await snippets.load(name)).toMatchObject({ name, code, tags: [tag] });
            await snippets.list({ query: code });
          },
        ),
        { numRuns: 30 },
      );
    });

    it("refuse a NUL, which a database would cut at", async () => {
      await expect(snippets.save(snippet("a\0b"))).rejects.toMatchObject({ code: "VALUE_INVALID" });
    });
  });
}
