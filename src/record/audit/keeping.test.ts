import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createAlertWatch } from "./alerts.js";
import { purgeLog } from "./purge.js";
import { asideDir, dropOldSegments } from "./retention.js";
import { listSegments, segmentPaths } from "./segment-files.js";
import type { SegmentWriter } from "./segment-writer.js";
import { fill, newDir, newWriter, openRecorder, readLog, toRecord } from "./testing/fixture.js";

describe("keeping the log", () => {
  it("drops the oldest segments, notes that, and stays verifiable", async () => {
    const dir = newDir();
    const writer = newWriter(dir, 2000);
    for (let at = 0; at < 30; at++) writer.append([`,"callId":"call_${at}","time":1,"durationMs":1}`]);
    await writer.sync();
    const before = listSegments(dir).length;
    const options = { dir, maxAgeMs: 1e12, maxBytes: 4000, now: Date.now, isAlive: () => false };
    const dropped = await dropOldSegments(writer, options);
    expect(dropped).toBeGreaterThan(0);
    expect(listSegments(dir)).toHaveLength(before - dropped);
    expect(await readLog(dir).verify()).toMatchObject({ ok: true });
    const [oldest = 0] = listSegments(dir);
    utimesSync(segmentPaths(dir, oldest).lines, 1, 1);
    expect(await dropOldSegments(writer, { ...options, maxAgeMs: 1000, maxBytes: 1e9 })).toBe(1);
    await writer.close();
    expect(await readLog(dir).verify()).toMatchObject({ ok: true });
  });

  it("drops nothing from the first segment on that a living process writes, and counts contents kept aside", async () => {
    const dir = newDir();
    const writer = newWriter(dir, 500);
    while (listSegments(dir).length < 5) writer.append([`,"callId":"call","time":1,"durationMs":1}`]);
    const options = { dir, maxAgeMs: 1e12, now: Date.now, isAlive: (owner: string) => owner === "alive" };
    mkdirSync(asideDir(dir, 0), { recursive: true });
    writeFileSync(join(asideDir(dir, 0), "digest"), Buffer.alloc(100_000));
    expect(await dropOldSegments(writer, { ...options, maxBytes: 110_000 })).toBe(0);
    expect(await dropOldSegments(writer, { ...options, maxBytes: 100_000 })).toBe(1);
    expect([listSegments(dir).length, existsSync(asideDir(dir, 0))]).toEqual([4, false]);
    writeFileSync(segmentPaths(dir, 2).owner, "alive");
    expect(await dropOldSegments(writer, { ...options, maxBytes: 0 })).toBe(1);
    expect(listSegments(dir)[0]).toBe(2);
    writeFileSync(segmentPaths(dir, 2).owner, "dead");
    // Never the one that it writes itself, however old.
    const own = writer.segment;
    await dropOldSegments(writer, { ...options, maxBytes: 1e9, maxAgeMs: -60_000 });
    expect(listSegments(dir)[0]).toBe(own);
    expect(readdirSync(dir).filter((name) => name < `0000000${own}`)).toEqual([]);
    await writer.close();
    expect(await readLog(dir).verify()).toMatchObject({ ok: true });
  });

  it("purges a text so that no file has it, and still verifies", async () => {
    const dir = newDir();
    await fill(dir, 3);
    await fill(dir, 2, { arguments: { password: 'hunter"2 secret', note: "kept" } });
    const head = await readLog(dir).head();
    const writer = newWriter(dir);
    const purged = await purgeLog({ dir, writer, now: () => 5 }, { texts: ['hunter"2'] });
    expect(purged.records).toBe(2);
    const lines = readFileSync(segmentPaths(dir, 0).lines, "utf8");
    expect(lines).not.toContain("hunter");
    expect(await readLog(dir).verify(head)).toMatchObject({ ok: true, records: 5 });
    expect((await readLog(dir).search({ limit: 1 }))[0]).toMatchObject({
      arguments: { password: "[purged] secret", note: "kept" },
      purged: 5,
    });
    // A second purge finds what the first one left.
    await purgeLog({ dir, writer, now: () => 6 }, { before: 1_800_000_000_000 });
    await writer.close();
    expect(await readLog(dir).verify(head)).toMatchObject({ ok: true, records: 5 });
    expect((await readLog(dir).search({ limit: 1 }))[0]).toMatchObject({ arguments: "[purged]" });
  });

  it("purges a text also where an argument holds it as JSON", async () => {
    const dir = newDir();
    const key = 'line "one"\nline two';
    await fill(dir, 1, { arguments: { body: JSON.stringify({ key, note: "kept" }) } });
    const writer = newWriter(dir);
    expect((await purgeLog({ dir, writer, now: () => 5 }, { texts: [key] })).records).toBe(1);
    // Without a session to look for, no record is of it.
    expect((await purgeLog({ dir, writer, now: () => 6 }, { before: 1 })).records).toBe(0);
    await writer.close();
    const [record] = await readLog(dir).search();
    expect(record?.arguments).toEqual({ body: '{"key":"[purged]","note":"kept"}' });
    expect(await readLog(dir).verify()).toMatchObject({ ok: true });
  });

  it("does not take a forgery for a purge", async () => {
    const dir = newDir();
    await fill(dir, 3);
    const file = segmentPaths(dir, 0).lines;
    const lines = readFileSync(file, "utf8").split("\n");
    lines[2] = lines[2]?.replace('"seq":2,', '"seq":2,"purged":5,').replace("hello", "hullo") ?? "";
    writeFileSync(file, lines.join("\n"));
    expect(await readLog(dir).verify()).toMatchObject({ ok: false, seq: 2 });
  });

  it("answers with the fault where nothing can be written, and makes up for it later", async () => {
    const dir = newDir();
    let broken = true;
    const told: string[] = [];
    const recorder = openRecorder(dir, {
      open: (): SegmentWriter => {
        if (broken) throw new Error("no space left on device");
        return newWriter(dir);
      },
      onFault: (message) => told.push(message),
      onRestored: ({ written, lost }) => told.push(`${written} written, ${lost} lost`),
    });
    const records = ["call_1", "call_2"].map((id) => toRecord(id));
    for (const record of records) await recorder.record(record);
    expect(records.map(({ envelope }) => envelope.metadata["auditFault"])).toEqual(
      Array(2).fill(expect.stringContaining("no space left")),
    );
    expect(recorder.retry()).toBe(false);
    broken = false;
    expect(recorder.retry()).toBe(true);
    const after = toRecord("call_3");
    await recorder.record(after);
    expect(after.envelope.metadata).not.toHaveProperty("auditFault");
    await recorder.close();
    expect(told).toEqual([expect.stringContaining("no space left"), "2 written, 0 lost"]);
    expect(await readLog(dir).verify()).toMatchObject({ ok: true, records: 3 });
  });

  it("tells of bursts, repeated denials and probing, each once a minute, within bounds", () => {
    const watch = createAlertWatch();
    const call = { tool: "read_file", sessionId: "s", agent: "a", time: 1000 };
    for (let at = 0; at < 20; at++)
      watch.see({ ...call, time: 1000 + at, outcome: "denied", errorCode: "PATH_OUTSIDE" });
    expect(
      watch
        .alerts()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(["denials", "probing"]);
    for (let at = 0; at < 10_000; at++) watch.see({ ...call, time: 2000, outcome: "success" });
    expect(watch.alerts()[0]).toMatchObject({ kind: "burst", sessionId: "s" });
    expect(watch.alerts()).toHaveLength(3);
    for (let at = 0; at < 5000; at++)
      for (let each = 0; each < 8; each++)
        watch.see({ ...call, sessionId: `s${at}`, time: 3000, outcome: "denied" });
    expect(watch.alerts()).toHaveLength(200);
  });
});
