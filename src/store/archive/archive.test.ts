import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { databaseFile } from "../open-database.js";
import type { State } from "../open-state.js";
import { migrations } from "../migrations.js";
import {
  collectGarbage,
  fixturesOfTest,
  postgresFixture,
  sqliteFixture,
  type Fixture,
  type NewFixture,
} from "../testing/drivers.js";
import { fillState, readState } from "../testing/fill-state.js";
import { createArchiveWriter } from "./archive-lines.js";
import { restoreState, type Restored } from "./restore-state.js";

const make = fixturesOfTest();

async function archiveOf(state: State, contents = true): Promise<string> {
  let text = "";
  await state.export(async (line) => void (text += line), { contents });
  return text;
}

async function restore(fixture: Fixture, text: string, force = false): Promise<Restored> {
  await collectGarbage();
  const { stateDir, workspace, database } = fixture;
  // In uneven pieces, as a disk gives them.
  const read = async function* (): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001);
  };
  return restoreState({ stateDir, workspace, database, read, force });
}

describe.each<[string, NewFixture, NewFixture]>([
  ["sqlite to sqlite", sqliteFixture, sqliteFixture],
  ["postgres to postgres", postgresFixture, postgresFixture],
  ["sqlite to postgres", sqliteFixture, postgresFixture],
  ["postgres to sqlite", postgresFixture, sqliteFixture],
])("an archive from %s", (_, from, to) => {
  it("brings everything back, and the former state is kept", async () => {
    const source = await (await make(from)).open();
    await fillState(source);
    const archive = await archiveOf(source);
    const target = await make(to);
    const former = await target.open();
    await former.kv("mine").set("k", "former");
    await former.close();
    const done = await restore(target, archive);
    expect(done).toMatchObject({ contents: 1, kept: expect.stringMatching(/before/) });
    const state = await target.open();
    expect(await readState(state)).toEqual(await readState(source));
    expect(await state.kv("mine").get("k")).toBeUndefined();
    expect(await state.journal.unfinished()).toEqual([]);
    expect(await state.integrity()).toEqual({ ok: true, problems: [] });
    expect(state.warnings).toEqual([]);
  });

  it("goes on counting where the rows end", async () => {
    const source = await (await make(from)).open();
    await fillState(source);
    const target = await make(to);
    await restore(target, await archiveOf(source, false));
    const state = await target.open();
    const [last] = await state.journal.history({ limit: 1 });
    const id = await state.journal.begin({
      kind: "change",
      origin: { callId: "c2", sessionId: "s", tool: "t" },
      time: 3,
      changes: [],
    });
    expect(id).toBeGreaterThan(last?.id ?? 0);
    await (await state.locks.acquire([{ key: "k", mode: "exclusive" }])).release();
  });
});

describe.each([
  ["sqlite", sqliteFixture],
  ["postgres", postgresFixture],
] as const)("a restore to %s", (_, newFixture) => {
  it("is refused while another has the state open, unless it is forced", async () => {
    const fixture = await make(newFixture);
    const state = await fixture.open();
    await state.kv("x").set("k", 1);
    const archive = await archiveOf(state);
    await expect(restore(fixture, archive)).rejects.toMatchObject({ code: "STATE_BUSY" });
    await state.kv("x").set("k", 2);
    await restore(fixture, archive, true);
    const after = await fixture.open();
    expect(await after.kv("x").get("k")).toBe(1);
  });

  it.each<[string, (text: string) => string]>([
    ["cut off", (text) => text.slice(0, -10)],
    ["cut off at a line", (text) => text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1)],
    ["changed", (text) => text.replace('"key":"k"', '"key":"j"')],
    ["followed by more", (text) => `${text}{}\n`],
    ["empty", () => ""],
    ["something else", () => "hello\nworld\n"],
    ["binary", () => "\u0000\u0001\u0002".repeat(500)],
  ])("refuses an archive that is %s, and nothing is changed", async (_name, spoil) => {
    const fixture = await make(newFixture);
    const state = await fixture.open();
    await state.kv("x").set("k", 1);
    const archive = await archiveOf(state);
    await state.close();
    await expect(restore(fixture, spoil(archive))).rejects.toMatchObject({ code: "VALUE_INVALID" });
    expect(await (await fixture.open()).kv("x").get("k")).toBe(1);
  });

  it.each<[string, object, RegExp]>([
    ["a table", { table: "sqlite_master; DROP TABLE rules", row: { a: 1 } }, /has an unknown table/],
    ["a column", { table: "rules", row: { "id) VALUES (1); --": "x" } }, /has an unknown column/],
    ["a missing value", { table: "rules", row: { id: "x", rule: null, created_at: 1 } }, /null/i],
  ])("refuses an archive with %s of an attacker, and nothing is changed", async (_name, line, why) => {
    const fixture = await make(newFixture);
    const state = await fixture.open();
    await state.kv("x").set("k", 1);
    await state.close();
    let text = "";
    const writer = createArchiveWriter(async (some) => void (text += some));
    await writer.add({ tenon: "state", format: 1, schema: 1, workspace: "/", time: 1 });
    await writer.add(line as never);
    await writer.end();
    await expect(restore(fixture, text)).rejects.toThrow(why);
    expect(await (await fixture.open()).kv("x").get("k")).toBe(1);
  });

  it("takes an archive of an older schema forward, and refuses one from the future", async () => {
    const fixture = await make(newFixture);
    const write = async (schema: number): Promise<string> => {
      let text = "";
      const writer = createArchiveWriter(async (some) => void (text += some));
      await writer.add({ tenon: "state", format: 1, schema, workspace: "/", time: 1 });
      await writer.add({ table: "rules", row: { id: "old", rule: "{}", created_at: 5 } });
      await writer.end();
      return text;
    };
    await restore(fixture, await write(1));
    const state = await fixture.open();
    expect(await state.rules.list()).toEqual([{ id: "old", rule: {}, createdAt: 5 }]);
    expect(await state.integrity()).toMatchObject({ ok: true });
    await state.close();
    const future = restore(fixture, await write(migrations.length + 1));
    await expect(future).rejects.toMatchObject({ code: "STATE_TOO_NEW" });
  });
});

describe("a restore over a damaged file", () => {
  it("keeps the damaged file and works", async () => {
    const fixture = await make(sqliteFixture);
    const state = await fixture.open();
    await state.kv("x").set("k", 1);
    const archive = await archiveOf(state);
    await state.close();
    const file = databaseFile(state.dir);
    writeFileSync(file, "rubbish".repeat(1000));
    const { kept = "" } = await restore(fixture, archive);
    expect(readdirSync(dirname(file)).map((name) => join(dirname(file), name))).toContain(kept);
    expect(await (await fixture.open()).kv("x").get("k")).toBe(1);
  });
});
