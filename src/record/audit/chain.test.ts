import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { segmentPaths } from "./segment-files.js";
import { fill, newDir, newWriter, readLog } from "./testing/fixture.js";
import { marker } from "./segment-writer.js";
import { randomCases } from "../../../test/setup/random-cases.js";

async function filled(count = 6): Promise<{ dir: string; file: string; bytes: Buffer }> {
  const dir = newDir();
  await fill(dir, count);
  const file = segmentPaths(dir, 0).lines;
  return { dir, file, bytes: readFileSync(file) };
}

describe("the chain of the log", () => {
  it("verifies what was written, and counts the calls from 1", async () => {
    const { dir } = await filled();
    const verdict = await readLog(dir).verify();
    expect(verdict).toMatchObject({ ok: true, records: 6, head: { seq: 6 } });
    const [newest] = await readLog(dir).search();
    expect(newest).toMatchObject({ seq: 6, callId: "call_5", hash: verdict.ok ? verdict.head.hash : "" });
  });

  it("shows a flipped bit wherever it is, and names a record no later than the flip", async () => {
    const { dir, file, bytes } = await filled();
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
        const changed = Buffer.from(bytes);
        changed[at]! ^= 1 << bit;
        writeFileSync(file, changed);
        const line = bytes.subarray(0, at).filter((byte) => byte === 10).length;
        const verdict = await readLog(dir).verify();
        expect(verdict.ok).toBe(false);
        if (!verdict.ok) expect(verdict.seq).toBeLessThanOrEqual(line);
      }),
      { numRuns: randomCases(300) },
    );
  });

  it("shows a record that is missing, doubled or in another's place", async () => {
    const { dir, file, bytes } = await filled();
    const lines = bytes.toString().trimEnd().split("\n");
    const changes = {
      missing: lines.toSpliced(3, 1),
      doubled: lines.toSpliced(3, 0, lines[3] ?? ""),
      swapped: lines.toSpliced(3, 2, lines[4] ?? "", lines[3] ?? ""),
    };
    for (const changed of Object.values(changes)) {
      writeFileSync(file, `${changed.join("\n")}\n`);
      expect(await readLog(dir).verify()).toMatchObject({ ok: false, seq: expect.any(Number) as number });
    }
    writeFileSync(file, `${changes.missing.join("\n")}\n`);
    expect(await readLog(dir).verify()).toMatchObject({ seq: 3 });
  });

  it("shows a tail that was cut at any byte, because the head is kept apart", async () => {
    const { dir, file, bytes } = await filled(1);
    for (let length = bytes.length - 1; length >= 0; length--) {
      truncateSync(file, length);
      expect((await readLog(dir).verify()).ok).toBe(false);
      writeFileSync(file, bytes);
    }
  });

  it("takes half a line behind what was synced for a call that was never answered", async () => {
    const { dir, file, bytes } = await filled(3);
    const line = bytes.toString().trimEnd().split("\n").at(-1) ?? "";
    for (let length = 1; length <= line.length; length += 7) {
      writeFileSync(file, Buffer.concat([bytes, Buffer.from(line.slice(0, length))]));
      expect(await readLog(dir).verify()).toMatchObject({
        ok: true,
        records: 3,
        notes: [expect.stringContaining("torn") as string],
      });
    }
    // The next writer notes where it ended, and a later cut of it shows.
    writeFileSync(segmentPaths(dir, 0).owner, "dead");
    await fill(dir, 1);
    expect(await readLog(dir).verify()).toEqual(expect.objectContaining({ ok: true, records: 4 }));
    expect(await readLog(dir).verify()).not.toHaveProperty("notes");
    rmSync(segmentPaths(dir, 0).head);
    truncateSync(file, bytes.length - line.length - 1);
    expect(await readLog(dir).verify()).toMatchObject({ ok: false, seq: 3 });
  });

  it("proves that a head of earlier is in it, and misses one that is not", async () => {
    const { dir, file, bytes } = await filled(3);
    const head = await readLog(dir).head();
    await fill(dir, 2);
    for (const given of [head, `${head.seq}:${head.hash}`, head.hash])
      expect(await readLog(dir).verify(given)).toMatchObject({ ok: true, records: 5 });
    // All put back to a time before the head, with everything that goes with it.
    const later = await readLog(dir).head();
    writeFileSync(file, bytes);
    rmSync(segmentPaths(dir, 0).head);
    expect(await readLog(dir).verify()).toMatchObject({ ok: true });
    expect(await readLog(dir).verify(later)).toMatchObject({ ok: false, seq: later.seq });
    expect(await readLog(dir).verify("nonsense")).toMatchObject({ ok: false });
  });

  it("covers the segments of all processes with one head, and misses a segment that is gone", async () => {
    const dir = newDir();
    const [one, two] = [newWriter(dir), newWriter(dir)];
    one.append([marker("note", { one: 1 })]);
    two.append([marker("note", { two: 2 })]);
    await one.sync();
    await two.sync();
    one.append([marker("note", { one: 3 })]);
    await one.sync();
    const head = two.coverAll();
    await two.close();
    await one.close();
    expect(await readLog(dir).verify(head)).toMatchObject({ ok: true });
    const { lines, head: noted } = segmentPaths(dir, 0);
    const bytes = readFileSync(lines);
    rmSync(noted);
    truncateSync(lines, bytes.lastIndexOf(10, bytes.length - 2) + 1);
    expect(await readLog(dir).verify()).toMatchObject({ ok: false, seq: 2 });
    rmSync(lines);
    expect(await readLog(dir).verify()).toMatchObject({ ok: false, seq: 0 });
  });

  it("goes on in the same segment after a clean end, and never in one whose end is not known", async () => {
    const dir = newDir();
    await fill(dir, 2);
    await fill(dir, 2);
    expect((await readLog(dir).search()).map(({ seq }) => seq)).toEqual([4, 3, 2, 1]);
    appendFileSync(segmentPaths(dir, 0).lines, "{");
    await fill(dir, 1);
    expect((await readLog(dir).search({ limit: 1 }))[0]).toMatchObject({ seq: 1_000_001 });
  });
});
