import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { State } from "../open-state.js";
import type { Sql, SqlDatabase } from "../sql.js";
import type { Fixture, NewFixture } from "./drivers.js";

/** What the statements and transactions of a database promise to the stores built on them. */
export function sqlSuite(newFixture: NewFixture): void {
  let fixture: Fixture;
  let state: State;
  let sql: SqlDatabase;

  beforeEach(async () => {
    fixture = await newFixture();
    state = await fixture.open();
    sql = state.sql;
    await sql.run("CREATE TABLE IF NOT EXISTS things (name TEXT PRIMARY KEY, n BIGINT, bytes BIGINT)");
  });

  afterEach(() => fixture.close());

  const count = async (on: Sql = sql): Promise<number> =>
    (await on.get<{ n: number }>("SELECT count(*) AS n FROM things"))?.n ?? -1;
  const add = (on: Sql, name: string, n = 0): Promise<{ changes: number }> =>
    on.run("INSERT INTO things (name, n) VALUES (?, ?)", [name, n]);

  describe("statements", () => {
    it("give back what was put in, whole numbers as numbers", async () => {
      const large = 2 ** 52;
      await sql.run("INSERT INTO things VALUES (?, ?, ?), (?, ?, ?)", [
        "a",
        large,
        null,
        "它 🚀 '\"?$1",
        -1,
        0,
      ]);
      expect(await sql.all("SELECT * FROM things ORDER BY n DESC")).toMatchObject([
        { name: "a", n: large, bytes: null },
        { name: "它 🚀 '\"?$1", n: -1, bytes: 0 },
      ]);
      expect(
        await sql.get("SELECT sum(n) AS total, count(*) AS n, max(n) > 3 AS many FROM things"),
      ).toMatchObject({
        total: large - 1,
        n: 2,
        many: 1,
      });
    });

    it("tell how many rows changed, and whether there is one at all", async () => {
      await add(sql, "a");
      await add(sql, "b");
      expect(await sql.run("UPDATE things SET n = 5")).toEqual({ changes: 2 });
      expect(await sql.run("DELETE FROM things WHERE n = 7")).toEqual({ changes: 0 });
      expect(await sql.get("SELECT * FROM things WHERE n = ?", [7])).toBeUndefined();
      expect(await sql.all("SELECT * FROM things WHERE n = ?", [7])).toEqual([]);
    });

    it("insert or update, and return rows", async () => {
      const upsert = `INSERT INTO things (name, n) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET n = things.n + excluded.n RETURNING n`;
      await sql.transaction(async (tx) => {
        expect(await tx.get(upsert, ["a", 1])).toMatchObject({ n: 1 });
        expect(await tx.all(upsert, ["a", 2])).toMatchObject([{ n: 3 }]);
      });
      expect(await count()).toBe(1);
    });

    it("refuse to give rows of a write that no transaction is around: it may not have been kept", async () => {
      const writes = [
        "INSERT INTO things (name) VALUES ('a') RETURNING name",
        "UPDATE things SET n = 1 RETURNING n",
        "WITH w AS (SELECT 1) DELETE FROM things RETURNING name",
        "/* a read? */ DELETE FROM things RETURNING name",
        "-- a read?\nDELETE FROM things RETURNING name",
      ];
      for (const write of writes) {
        await expect(sql.get(write)).rejects.toMatchObject({ code: "INTERNAL" });
        await expect(sql.all(write)).rejects.toMatchObject({ code: "INTERNAL" });
      }
      expect(await count()).toBe(0);
    });

    it("refuse a write in a snapshot", async () => {
      await expect(sql.snapshot((tx) => add(tx, "a"))).rejects.toThrow(/transaction/i);
      expect(await count()).toBe(0);
    });

    it("leave a question mark in quotes or a comment alone", async () => {
      const row = await sql.get<Record<string, unknown>>(
        `SELECT '?' AS a, 'it''s ?' AS b, ? AS c /* ? */ -- ?
         , '? -- ?' AS d, CAST(? AS INTEGER) AS "e?"`,
        ["text", 3],
      );
      expect({ ...row }).toEqual({ a: "?", b: "it's ?", c: "text", d: "? -- ?", "e?": 3 });
    });

    it("refuse a text with a NUL instead of keeping half of it", async () => {
      await expect(add(sql, "a\0b")).rejects.toMatchObject({ code: "VALUE_INVALID" });
      await expect(sql.get("SELECT ? AS x", ["\0"])).rejects.toMatchObject({ code: "VALUE_INVALID" });
      expect(await count()).toBe(0);
    });
  });

  describe("transactions", () => {
    it("happen whole or not at all", async () => {
      const failing = sql.transaction(async (tx) => {
        await add(tx, "a");
        expect(await count(tx)).toBe(1);
        throw new Error("changed my mind");
      });
      await expect(failing).rejects.toThrow("changed my mind");
      const breaking = sql.transaction(async (tx) => {
        await add(tx, "b");
        await add(tx, "b");
      });
      await expect(breaking).rejects.toThrow(/unique/i);
      expect(await count()).toBe(0);
      await sql.transaction((tx) => add(tx, "c"), { durable: true });
      expect(await count()).toBe(1);
    });

    it("are not seen, nor come between, while they are under way", async () => {
      const seen: number[] = [];
      const long = sql.transaction(async (tx) => {
        await add(tx, "a");
        await add(tx, "b");
        await add(tx, "c");
      });
      const reads = [count(), count()].map(async (read) => void seen.push(await read));
      const write = sql.run("UPDATE things SET n = 1");
      await Promise.all([long, ...reads, write]);
      for (const n of seen) expect([0, 3]).toContain(n);
      expect(await sql.get("SELECT sum(n) AS n FROM things")).toMatchObject({ n: 3 });
    });

    it("count right where many of two openings read and then write", async () => {
      const other = await fixture.open();
      await add(sql, "counter");
      const raise = (on: SqlDatabase): Promise<void> =>
        on.transaction(async (tx) => {
          const row = await tx.get<{ n: number }>("SELECT n FROM things WHERE name = 'counter'");
          await tx.run("UPDATE things SET n = ? WHERE name = 'counter'", [(row?.n ?? 0) + 1]);
        });
      await Promise.all(Array.from({ length: 60 }, (_, n) => raise(n % 2 === 0 ? sql : other.sql)));
      expect(await sql.get("SELECT n FROM things")).toMatchObject({ n: 60 });
    });

    it("cannot be used once they are over", async () => {
      let kept: Sql | undefined;
      await sql.transaction(async (tx) => void (kept = tx));
      await expect(kept?.get("SELECT 1 AS one")).rejects.toThrow(/after its end/);
    });

    it("show one state of the data to all reads of a snapshot", async () => {
      const other = await fixture.open();
      await sql.snapshot(async (tx) => {
        expect(await count(tx)).toBe(0);
        await add(other.sql, "a");
        expect(await count(tx)).toBe(0);
      });
      expect(await count()).toBe(1);
    });

    it("are refused after close", async () => {
      await state.close();
      await expect(sql.transaction(async () => 1)).rejects.toMatchObject({ code: "RUNTIME_CLOSED" });
      await expect(sql.snapshot(async () => 1)).rejects.toMatchObject({ code: "RUNTIME_CLOSED" });
      await expect(count()).rejects.toMatchObject({ code: "RUNTIME_CLOSED" });
      await expect(add(sql, "x")).rejects.toMatchObject({ code: "RUNTIME_CLOSED" });
    });
  });
}
