import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JournalChange, NewJournalEntry } from "../../contract/ports/journal.js";
import type { State } from "../open-state.js";
import type { Fixture, NewFixture } from "./drivers.js";

const hash = (n: number): string => n.toString(16).padStart(64, "0");

function change(path: string, more: Partial<JournalChange> = {}): JournalChange {
  return {
    op: "write",
    step: { kind: "set", path, before: null, after: null, temp: `${path}.tmp` },
    sizeBefore: null,
    sizeAfter: 3,
    implied: false,
    blobs: [],
    ...more,
  };
}

function entry(callId: string, changes: readonly JournalChange[], time = 1): NewJournalEntry {
  return {
    kind: "change",
    origin: { callId, sessionId: "s", tool: "write_file", taskId: "t" },
    time,
    changes,
  };
}

/** What the journal's rows promise, in whatever database. */
export function journalSuite(newFixture: NewFixture): void {
  let fixture: Fixture;
  let state: State;

  beforeEach(async () => {
    fixture = await newFixture();
    state = await fixture.open();
  });

  afterEach(() => fixture.close());

  async function done(new_: NewJournalEntry): Promise<number> {
    const id = await state.journal.begin(new_);
    await state.journal.commit(
      id,
      new_.changes.map(({ step }) => step),
    );
    await state.journal.clean(id);
    await state.journal.finish(id, { durable: true });
    return id;
  }

  describe("the journal's rows", () => {
    it("take an entry through its phases and remember what was prepared", async () => {
      const wanted = entry("c1", [change("/a", { blobs: [{ hash: hash(1), size: 9 }] }), change("/b")]);
      const id = await state.journal.begin(wanted);
      expect(await state.journal.unfinished()).toMatchObject([{ id, phase: "staging", ...wanted }]);
      const steps = wanted.changes.map(({ step }) => ({ ...step, temp: "/final" }));
      await state.journal.commit(id, steps);
      expect(await state.journal.unfinished()).toMatchObject([
        { phase: "committing", changes: [{ step: steps[0] }, { step: steps[1] }] },
      ]);
      await state.journal.retreat(id, 1);
      expect(await state.journal.unfinished()).toMatchObject([{ standing: 1 }]);
      await state.journal.clean(id);
      await state.journal.finish(id);
      expect(await state.journal.unfinished()).toEqual([]);
      expect(await state.journal.select({ callId: "c1" })).toMatchObject([
        { id, changes: [{ seq: 0 }, { seq: 1 }] },
      ]);
      await state.journal.discard(id);
      expect(await state.journal.select({ callId: "c1" })).toEqual([]);
    });

    it("are closed to a worker that has lost its workspace, in every phase of a change", async () => {
      const ownership = { name: fixture.workspace, epoch: 1 };
      const before = await fixture.open({ ownership });
      const id = await before.journal.begin(entry("c1", [change("/a")]));
      const after = await fixture.open({ ownership: { ...ownership, epoch: 2 } });
      const late = [
        () => before.journal.begin(entry("c2", [change("/b")])),
        () => before.journal.commit(id, []),
        () => before.journal.clean(id),
        () => before.journal.finish(id),
        () => before.journal.retreat(id, 1),
        () => before.journal.discard(id),
        () => before.journal.fail(id),
        () => before.journal.fenced(1).clean(id),
      ];
      for (const write of late) await expect(write()).rejects.toMatchObject({ code: "STATE_BUSY" });
      await expect(before.journal.begin(entry("c3", []))).rejects.toThrow("epoch 2");
      expect(await after.journal.unfinished()).toMatchObject([{ id, phase: "staging" }]);
      await after.journal.clean(id);
      await after.journal.finish(id);
      expect(await after.journal.unfinished()).toEqual([]);
      await fixture.exec("DELETE FROM meta WHERE key = 'fleet_epoch'");
    });

    it("find changes by path, call and task, newest first, also by very long paths", async () => {
      const long = `/${Array.from({ length: 4000 }, (_, n) => String.fromCharCode(97 + ((n * n * 7 + n) % 26))).join("")}`;
      await done(entry("c1", [change(long)]));
      const second = await done(entry("c2", [change(long), change("/b")], 2));
      expect(await state.journal.select({ path: long })).toMatchObject([{ id: second }]);
      expect((await state.journal.select({ taskId: "t" })).map(({ origin }) => origin.callId)).toEqual([
        "c2",
        "c1",
      ]);
      expect((await state.journal.history({})).map(({ path }) => path)).toEqual(["/b", long, long]);
      expect(await state.journal.history({ path: long, limit: 1 })).toMatchObject([{ callId: "c2" }]);
    });

    it("mark what is taken back, and what is taken back again", async () => {
      const id = await done(entry("c1", [change("/a")]));
      const undo = await done(entry("u1", [change("/a", { inverts: { entry: id, seq: 0 } })]));
      expect(await state.journal.select({ callId: "c1" })).toEqual([]);
      await done(entry("u2", [change("/a", { inverts: { entry: undo, seq: 0 } })]));
      expect(await state.journal.select({ callId: "c1" })).toMatchObject([{ id }]);
      expect(await state.journal.select({ callId: "u1" })).toEqual([]);
    });

    it("forget by path, by age and by size, and know which contents are still needed", async () => {
      for (let n = 1; n <= 40; n += 1) {
        await done(entry(`c${n}`, [change(`/f${n}`, { blobs: [{ hash: hash(n), size: 100 }] })], n * 1000));
      }
      const hashes = Array.from({ length: 120 }, (_, n) => hash(n + 1));
      expect(await state.journal.usage()).toEqual({ entries: 40, bytes: 4000 });
      expect(await state.journal.unreferenced(hashes)).toHaveLength(80);
      expect(await state.journal.clear("/f40")).toBe(1);
      expect(await state.journal.prune({ maxAgeMs: 30_000, maxBytes: 1e9 }, 40_000)).toBe(9);
      expect(await state.journal.usage()).toEqual({ entries: 30, bytes: 3000 });
      await state.journal.prune({ maxAgeMs: 1e9, maxBytes: 1000 }, 40_000);
      expect((await state.journal.usage()).bytes).toBeLessThanOrEqual(1000);
      expect((await state.journal.history({ limit: 1 }))[0]?.path).toBe("/f39");
      expect(await state.journal.clear()).toBeGreaterThan(0);
      expect(await state.journal.unreferenced(hashes)).toHaveLength(120);
    });
  });
}
