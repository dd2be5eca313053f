import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { dropOldSegments } from "./retention.js";
import { listSegments, segmentPaths } from "./segment-files.js";
import { marker, type SegmentWriter } from "./segment-writer.js";
import { fill, newDir, newWriter, readLog } from "./testing/fixture.js";
import { verifyLog } from "./verify.js";

/** Two segments of two processes; each has a note and says how far the other was. */
async function twoSegments(): Promise<{ dir: string; one: SegmentWriter; two: SegmentWriter }> {
  const dir = newDir();
  const [one, two] = [newWriter(dir), newWriter(dir)];
  for (const writer of [one, two]) {
    writer.append([marker("note", {})]);
    await writer.sync();
  }
  one.coverAll();
  await one.close();
  await two.close();
  return { dir, one, two };
}

function removeSegment(dir: string, segment: number): void {
  for (const file of Object.values(segmentPaths(dir, segment))) rmSync(file as string, { force: true });
}

describe("verify", () => {
  it("misses the newest segment when all its files are deleted, because another one vouches for it", async () => {
    const { dir } = await twoSegments();
    expect(await readLog(dir).verify()).toMatchObject({ ok: true });
    removeSegment(dir, 1);
    expect(await readLog(dir).verify()).toEqual({
      ok: false,
      records: 0,
      seq: 1_000_000,
      problem: expect.stringMatching(/segment 1\b/) as string,
    });
  });

  it("reports a segment that is gone from the middle by its own number", async () => {
    const dir = newDir();
    const writer = newWriter(dir, 500);
    for (let at = 0; at < 12; at++) writer.append([`,"callId":"call_${at}","time":1,"durationMs":1}`]);
    await writer.close();
    expect(listSegments(dir).length).toBeGreaterThan(3);
    removeSegment(dir, 2);
    expect(await readLog(dir).verify()).toMatchObject({
      ok: false,
      seq: 2_000_000,
      problem: expect.stringMatching(/segment 2\b/) as string,
    });
  });

  it("does not take the hash of a record for a head at another position", async () => {
    const dir = newDir();
    await fill(dir, 3);
    const { seq, hash } = await readLog(dir).head();
    for (const wrong of [seq - 1, seq + 1, 0, 1_000_000 + seq]) {
      expect(await readLog(dir).verify(`${wrong}:${hash}`)).toMatchObject({ ok: false, seq: wrong });
    }
    expect(await readLog(dir).verify(`${seq}:${hash.toUpperCase()}`)).toMatchObject({ ok: true });
    expect(await readLog(dir).verify(` ${seq}:${hash}\n`)).toMatchObject({ ok: true });
  });

  it("reports a bare hash that is not in the log behind its last record", async () => {
    const dir = newDir();
    await fill(dir, 3);
    const { seq } = await readLog(dir).head();
    expect(await readLog(dir).verify("ab".repeat(32))).toMatchObject({ ok: false, seq: seq + 1 });
    // The head of a log without records is in every log.
    expect(await readLog(dir).verify("0".repeat(64))).toMatchObject({ ok: true });
  });

  it("finds a head in any segment by its hash alone", async () => {
    const { dir } = await twoSegments();
    for (const segment of [0, 1]) {
      const lines = readFileSync(segmentPaths(dir, segment).lines, "utf8").trimEnd().split("\n");
      for (const [at, line] of lines.entries()) {
        const { hash } = JSON.parse(line) as { hash: string };
        expect(await readLog(dir).verify(`${segment * 1_000_000 + at}:${hash}`)).toMatchObject({ ok: true });
        expect(await readLog(dir).verify(hash)).toMatchObject({ ok: true });
      }
    }
  });

  it("says which rule a record breaks", async () => {
    const dir = newDir();
    await fill(dir, 4);
    const file = segmentPaths(dir, 0).lines;
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const problemWith = async (changed: readonly string[]): Promise<string> => {
      writeFileSync(file, `${changed.join("\n")}\n`);
      const verdict = await readLog(dir).verify();
      return verdict.ok ? "none" : `${verdict.seq}: ${verdict.problem}`;
    };
    const [line = ""] = lines.slice(2);
    expect(await problemWith(lines.with(2, "no line"))).toMatch(/^2: /);
    expect(await problemWith(lines.with(2, lines[3] ?? ""))).toMatch(/^2: .*record 3/);
    expect(await problemWith(lines.with(2, line.replace("hello", "hullo")))).toMatch(/^2: .*hash/);
    const forged = line.replace('"seq":2,', '"seq":2,"purged":5,').replace("hello", "hullo");
    expect(await problemWith(lines.with(2, forged))).toMatch(/^2: .*purge/);
    expect(await problemWith(lines.slice(0, 3))).toMatch(/^3: .*\b2 records/);
  });

  it("accepts what retention dropped as noted, and nothing above it that is missing", async () => {
    const dir = newDir();
    const writer = newWriter(dir, 500);
    for (let at = 0; at < 30; at++) writer.append([`,"callId":"call_${at}","time":1,"durationMs":1}`]);
    await writer.sync();
    const early = await readLog(dir).verify();
    const anchor = `${JSON.parse(readFileSync(segmentPaths(dir, 0).lines, "utf8").split("\n")[0] ?? "").hash}`;
    expect(early).toMatchObject({ ok: true });
    await dropOldSegments(writer, {
      dir,
      maxAgeMs: 1e12,
      maxBytes: 2000,
      now: Date.now,
      isAlive: () => false,
    });
    await writer.close();
    const [oldest = 0] = listSegments(dir);
    expect(oldest).toBeGreaterThan(0);
    expect(await readLog(dir).verify()).toMatchObject({ ok: true });
    expect(await readLog(dir).verify(anchor)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/retention/) as string,
    });
    removeSegment(dir, oldest);
    expect(await readLog(dir).verify()).toMatchObject({ ok: false, seq: oldest * 1_000_000 });
  });

  it("misses no start of a call that retention dropped, only one that should be there", async () => {
    const dir = newDir();
    const writer = newWriter(dir, 500);
    const last = (): number => listSegments(dir).at(-1) ?? 0;
    writer.append([',"kind":"start","callId":"long","time":1}']);
    while (last() < 3) writer.append([',"callId":"short","time":1,"durationMs":1}']);
    const options = { dir, maxAgeMs: 1e12, now: Date.now, isAlive: () => false };
    await dropOldSegments(writer, { ...options, maxBytes: 1000 });
    const [floor = 0] = listSegments(dir);
    expect(floor).toBeGreaterThan(0);
    const end = (start: number) =>
      writer.append([`,"start":${start},"callId":"long","time":1,"durationMs":1}`]);
    end(1);
    await writer.sync();
    expect(await readLog(dir).verify()).toMatchObject({ ok: true });
    end(floor * 1_000_000 + 1);
    await writer.close();
    expect(await readLog(dir).verify()).toMatchObject({
      ok: false,
      problem: expect.stringContaining(`record ${floor * 1_000_000 + 1}, is missing`) as string,
    });
  });

  it("notes the torn end of a segment only where nobody writes there", async () => {
    const dir = newDir();
    await fill(dir, 1);
    const { lines, owner } = segmentPaths(dir, 0);
    appendFileSync(lines, "{half");
    writeFileSync(owner, "alive");
    const verifyWith = (isAlive: boolean) =>
      verifyLog({ dir, isAlive: (name) => isAlive && name === "alive" });
    expect(await verifyWith(true)).not.toHaveProperty("notes");
    expect(await verifyWith(false)).toMatchObject({
      ok: true,
      notes: ["The end of segment 0 is torn: 5 bytes of record 2, whose call was never answered."],
    });
  });
});

describe("a verdict", () => {
  it("names the first flaw of several, in the words of the rule that it breaks", async () => {
    const { dir } = await twoSegments();
    const fileOf = (segment: number): string => segmentPaths(dir, segment).lines;
    const [first, second] = [0, 1].map((segment) =>
      readFileSync(fileOf(segment), "utf8").trimEnd().split("\n"),
    );
    const verdictOn = async (segment: number, lines: readonly string[] = []): Promise<unknown> => {
      writeFileSync(fileOf(segment), `${lines.join("\n")}\n`);
      const verdict = await readLog(dir).verify();
      return verdict.ok ? verdict : [verdict.seq, verdict.problem];
    };
    const [opening = "", note = ""] = second ?? [];
    expect(await verdictOn(1, [opening, "{}"])).toEqual([1_000_001, "it is not a line of the log"]);
    expect(await verdictOn(1, [opening, opening])).toEqual([1_000_001, "it says that it is record 1000000"]);
    const unchained = note.replace(/"previous":"[0-9a-f]{64}"/, `"previous":"${"0".repeat(64)}"`);
    expect(await verdictOn(1, [opening, unchained])).toEqual([
      1_000_001,
      "it does not follow the record before it: one was changed, added or removed",
    ]);
    expect(await verdictOn(1, [opening, note.replace('"note"', '"nose"')])).toEqual([
      1_000_001,
      "its content does not match its hash",
    ]);
    // The second segment is still wrong, and the first one comes first.
    expect(await verdictOn(0, [(first?.[0] ?? "").replace('"time":1', '"time":2')])).toEqual([
      0,
      "its content does not match its hash",
    ]);
  });

  it("on a log that was replaced tells that it is not the one that was noted", async () => {
    const [dir, other] = [newDir(), newDir()];
    await fill(dir, 3);
    await fill(other, 3, { agent: "somebody else" });
    writeFileSync(segmentPaths(dir, 0).lines, readFileSync(segmentPaths(other, 0).lines));
    expect(await readLog(dir).verify()).toMatchObject({
      ok: false,
      seq: 3,
      problem: "it is not the record that was noted here",
    });
  });

  it("on many records has the hash of each, and their number", async () => {
    const dir = newDir();
    const writer = newWriter(dir);
    const lines = Array.from({ length: 2500 }, (_, at) => `,"callId":"call_${at}","time":1,"durationMs":1}`);
    writer.append(lines);
    await writer.close();
    const written = readFileSync(segmentPaths(dir, 0).lines, "utf8").trimEnd().split("\n");
    const hashAt = (seq: number): string => (JSON.parse(written[seq] ?? "") as { hash: string }).hash;
    expect(await readLog(dir).verify()).toEqual({
      ok: true,
      records: 2500,
      head: { seq: 2500, hash: hashAt(2500) },
    });
    for (const seq of [0, 1023, 1024, 2047, 2048, 2500])
      expect(await readLog(dir).verify({ seq, hash: hashAt(seq) })).toMatchObject({ ok: true });
    expect(await readLog(dir).verify({ seq: 5, hash: hashAt(6) })).toMatchObject({ ok: false, seq: 5 });
  });

  it("on a log without records is that all is well, and a head that is none is refused", async () => {
    const dir = newDir();
    const nothing = { ok: true, records: 0, head: { seq: 0, hash: "0".repeat(64) } };
    expect(await readLog(dir).verify()).toEqual(nothing);
    for (const wrong of ["", "12", `x${"0".repeat(64)}`, `1:${"0".repeat(63)}`, `1:${"g".repeat(64)}`])
      expect(await readLog(dir).verify(wrong)).toMatchObject({
        ok: false,
        seq: 0,
        problem: `"${wrong}" is not a valid head`,
      });
    expect(await readLog(dir).verify("x".repeat(100))).toMatchObject({
      problem: `"${"x".repeat(80)}" is not a valid head`,
    });
  });
});
