import { rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { databaseFile } from "../open-database.js";
import {
  collectGarbage,
  fixturesOfTest,
  postgresFixture,
  sqliteFixture,
  type Fixture,
} from "../testing/drivers.js";
import { openBench, type WorkBench } from "../testing/work-fixture.js";
import { restoreState } from "./restore-state.js";

const make = fixturesOfTest();

/** One of everything that is given a number, and the ids. */
async function giveOut({ stores, state }: WorkBench, name: string): Promise<Record<string, string | number>> {
  const { memories, snippets, pipeline } = stores;
  const [memory, snippet, iteration] = [
    await memories.save({ kind: "learning", title: name, content: name, tags: [] }),
    await snippets.save({ name, code: name, description: "", language: "ts", tags: [] }),
    await pipeline.startIteration(name),
  ];
  const lock = await state.locks.acquire([{ key: name, mode: "exclusive" }]);
  await lock.release();
  const origin = { callId: name, sessionId: "s", tool: "t" };
  const entry = await state.journal.begin({ kind: "change", origin, time: 1, changes: [] });
  await state.journal.finish(entry);
  return { memory: memory.id, snippet: snippet.id, iteration: iteration.id, fence: lock.fence, entry };
}

async function backup({ state }: WorkBench): Promise<string> {
  let text = "";
  await state.export(async (line) => void (text += line));
  return text;
}

async function restore({ stateDir, workspace, database }: Fixture, text: string): Promise<void> {
  await collectGarbage();
  const read = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  };
  await restoreState({ stateDir, workspace, database, read });
}

describe.each([
  ["sqlite", sqliteFixture],
  ["postgres", postgresFixture],
] as const)("after a restore on %s", (_, newFixture) => {
  it("no id is given out that was given out before, also after a second restore", async () => {
    const fixture = await make(newFixture);
    const before = await openBench(fixture);
    const given = [await giveOut(before, "a")];
    const archive = await backup(before);
    given.push(await giveOut(before, "b"));
    await before.stores.snippets.remove("b");
    await before.state.close();
    for (const name of ["c", "d"]) {
      await restore(fixture, archive);
      const after = await openBench(fixture);
      expect(await after.stores.snippets.names()).toEqual(["a"]);
      given.push(await giveOut(after, name));
      expect(await after.state.integrity()).toEqual({ ok: true, problems: [] });
      await after.state.close();
    }
    for (const kind of Object.keys(given[0] ?? {})) {
      expect(new Set(given.map((ids) => ids[kind])).size, kind).toBe(given.length);
    }
  });

  it("ids of what was deleted before the backup do not come back, elsewhere either", async () => {
    const source = await openBench(await make(newFixture));
    await giveOut(source, "a");
    const deleted = await giveOut(source, "b");
    await source.stores.snippets.remove("b");
    const archive = await backup(source);
    const other = await make(newFixture === sqliteFixture ? postgresFixture : sqliteFixture);
    await restore(other, archive);
    const ids = await giveOut(await openBench(other), "c");
    expect(ids).not.toMatchObject({ snippet: deleted["snippet"] });
    expect(ids).toMatchObject({ snippet: "snippet-3", memory: "mem-3" });
  });
});

describe("a restore", () => {
  it("over a file that cannot be read goes on from the numbers in the archive", async () => {
    const fixture = await make(sqliteFixture);
    const bench = await openBench(fixture);
    await giveOut(bench, "a");
    const archive = await backup(bench);
    const file = databaseFile(bench.state.dir);
    await bench.state.close();
    for (const part of ["-wal", "-shm"]) rmSync(file + part, { force: true });
    writeFileSync(file, "rubbish".repeat(1000));
    await restore(fixture, archive);
    expect(await giveOut(await openBench(fixture), "b")).toMatchObject({ memory: "mem-2" });
  });
});
