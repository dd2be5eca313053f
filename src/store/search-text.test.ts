import { describe, expect, it } from "vitest";
import { hasTerms, searchText, type SearchOptions } from "./search-text.js";
import type { TextIndex, TextQuery } from "./text-index.js";

interface Doc {
  readonly number: number;
  readonly words: readonly string[];
  /** What it is about. */
  readonly strong?: readonly string[];
  readonly facets?: readonly string[];
  readonly scope?: number;
}

/** An index of these documents, which notes what it was asked. */
function indexOf(docs: readonly Doc[]): TextIndex & { readonly asked: TextQuery[]; caughtUp: number } {
  const asked: TextQuery[] = [];
  return {
    asked,
    caughtUp: 0,
    async find(query, limit) {
      asked.push(query);
      const holds = (doc: Doc): boolean =>
        query.terms.every(
          ({ term, form }) => (form === "strong" ? doc.strong : doc.words)?.includes(term) === true,
        ) &&
        (query.facets ?? []).every((facet) => doc.facets?.includes(facet) === true) &&
        (query.anyFacet === undefined ||
          query.anyFacet.some((facet) => doc.facets?.includes(facet) === true)) &&
        (query.scope === undefined || doc.scope === query.scope);
      const found = docs.filter(holds).map(({ number }) => number);
      return found.sort((one, other) => other - one).slice(0, limit);
    },
    async catchUp() {
      this.caughtUp += 1;
    },
    refresh: async () => {},
    remove: async () => {},
  };
}
const search = (docs: readonly Doc[], query: string, more: Partial<SearchOptions> = {}) =>
  searchText(indexOf(docs), { query, total: docs.length, ...more });
const numbersOf = async (...args: Parameters<typeof search>): Promise<number[]> =>
  (await search(...args)).map(({ number }) => number);
const filler = (count: number, from = 1000): Doc[] =>
  Array.from({ length: count }, (_, at) => ({ number: from + at, words: ["filler"] }));

describe("a search", () => {
  it("ranks what holds more of the terms first, then what is newer", async () => {
    const docs: Doc[] = [
      { number: 1, words: ["apple", "pear"] },
      { number: 2, words: ["apple"] },
      { number: 3, words: ["apple"] },
      { number: 4, words: ["plum"] },
      ...filler(20),
    ];
    expect(await numbersOf(docs, "apple pear")).toEqual([1, 3, 2]);
    expect(await numbersOf(docs, "none")).toEqual([]);
    expect(await numbersOf(docs, "  ")).toEqual([]);
  });

  it("counts a rare term for more than a frequent one", async () => {
    const docs: Doc[] = [
      { number: 1, words: ["rare"] },
      ...Array.from({ length: 30 }, (_, at): Doc => ({ number: 100 + at, words: ["often"] })),
      ...filler(70),
    ];
    const hits = await search(docs, "rare often");
    expect(hits[0]?.number).toBe(1);
    const worth = (count: number): number => Math.log(1 + (101 - count + 0.5) / (count + 0.5));
    expect(hits[0]?.score).toBeCloseTo(worth(1), 10);
    expect(hits[1]?.score).toBeCloseTo(worth(30), 10);
  });

  it("counts a term for more where the record is about it, but for less than another term", async () => {
    const docs: Doc[] = [
      { number: 1, words: ["apple", "pear"] },
      { number: 2, words: ["apple"], strong: ["apple"] },
      { number: 3, words: ["apple"] },
      ...filler(50),
    ];
    const hits = await search(docs, "apple");
    expect(hits.map(({ number }) => number)).toEqual([2, 3, 1]);
    expect((hits[0]?.score ?? 0) / (hits[1]?.score ?? 1)).toBeCloseTo(1.6, 10);
    expect((await numbersOf(docs, "apple pear"))[0]).toBe(1);
    // Of seven terms and more only their number counts.
    const many = `apple ${["b", "c", "d", "e", "f", "g"].map((each) => each.repeat(3)).join(" ")}`;
    const weighed = await search(docs, many);
    expect(new Set(weighed.map(({ score }) => score)).size).toBe(1);
    const six = many.slice(0, many.lastIndexOf(" "));
    expect(new Set((await search(docs, six)).map(({ score }) => score)).size).toBe(2);
  });

  it("takes each of twelve terms once", async () => {
    const words = Array.from({ length: 15 }, (_, at) => `${String.fromCharCode(97 + at)}word`);
    const index = indexOf(words.map((word, number) => ({ number, words: [word] })));
    const hits = await searchText(index, { query: [...words, ...words].join(" "), total: 15 });
    expect(hits.map(({ number }) => number).toSorted((one, other) => one - other)).toEqual([
      ...Array(12).keys(),
    ]);
    expect(index.caughtUp).toBe(1);
  });

  it("is narrowed by facets and scopes", async () => {
    const docs: Doc[] = [
      { number: 1, words: ["apple"], facets: ["a", "b"], scope: 1 },
      { number: 2, words: ["apple"], facets: ["a"], scope: 2 },
      { number: 3, words: ["apple"], facets: ["c"], scope: 3 },
    ];
    expect(await numbersOf(docs, "apple", { facets: ["a", "b"] })).toEqual([1]);
    expect(await numbersOf(docs, "apple", { anyFacet: ["b", "c"] })).toEqual([3, 1]);
    expect(await numbersOf(docs, "apple", { scopes: [3, 1] })).toEqual([3, 1]);
    expect(await numbersOf(docs, "apple", { scopes: [] })).toEqual([]);
    expect(await numbersOf(docs, "apple")).toEqual([3, 2, 1]);
  });

  it("finds what holds all terms, however many newer records hold one of them", async () => {
    const docs: Doc[] = [
      { number: 1, words: ["often", "rare"] },
      { number: 2, words: ["rare"] },
      ...Array.from({ length: 400 }, (_, at): Doc => ({ number: 100 + at, words: ["often"] })),
    ];
    const hits = await search(docs, "rare often");
    expect(hits[0]?.number).toBe(1);
    expect(hits[0]?.score).toBeGreaterThan(hits[1]?.score ?? 0);
    expect(hits[1]?.number).toBe(2);
    // Of one term alone only the newest are told.
    expect(await numbersOf(docs, "often")).toEqual(Array.from({ length: 300 }, (_, at) => 499 - at));
    const index = indexOf(docs);
    await searchText(index, { query: "rare often", total: 402 });
    expect(index.asked.filter(({ terms }) => terms.length === 2)).toEqual([
      expect.objectContaining({
        terms: [
          { term: "rare", form: "exact" },
          { term: "often", form: "exact" },
        ],
      }),
    ]);
  });

  it("guesses from how dense the newest hits are how many there are", async () => {
    // 300 of the newest 300 hold it, or 300 of the newest 3,000.
    const dense = Array.from({ length: 3000 }, (_, at): Doc => ({ number: at + 1, words: ["often"] }));
    const sparse = dense.map((doc): Doc => (doc.number % 10 === 0 ? doc : { ...doc, words: [] }));
    const [first] = await search(dense, "often");
    const [second] = await search([...sparse, { number: 3001, words: ["often"] }], "often");
    const worth = (count: number, records: number): number =>
      Math.log(1 + (records - count + 0.5) / (count + 0.5));
    expect(first?.score).toBeCloseTo(worth(3000, 3000), 10);
    expect(second?.score).toBeCloseTo(worth(300 / ((3001 - 20 + 1) / 3001), 3001), 10);
  });
});

it("a query of signs alone has nothing to look for", () => {
  expect([hasTerms("word"), hasTerms("a b"), hasTerms("?! -"), hasTerms("")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
