import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AuditQuery, AuditRecord } from "../../contract/ports/audit.js";
import { newDir, openRecorder, readLog, toRecord } from "./testing/fixture.js";

const words = ["alpha", "Beta", "gamma ray", 'quo"ted', "naïve", "x"];
const call = fc.record({
  tool: fc.constantFrom("read_file", "write_file", "shell_exec"),
  agent: fc.constantFrom("one", "two"),
  task: fc.option(fc.constantFrom("t1", "t2"), { nil: undefined }),
  session: fc.constantFrom("s1", "s2"),
  time: fc.integer({ min: 1000, max: 1100 }),
  word: fc.constantFrom(...words),
  denied: fc.boolean(),
});
const query = fc.record(
  {
    tool: fc.constantFrom("read_file", "*_file", "nothing"),
    agent: fc.constantFrom("one", "three"),
    taskId: fc.constantFrom("t1", "t3"),
    sessionId: fc.constantFrom("s1"),
    outcome: fc.constantFrom("success" as const, "denied" as const),
    since: fc.integer({ min: 990, max: 1110 }),
    until: fc.integer({ min: 990, max: 1110 }),
    text: fc.constantFrom(...words, "ALPHA", "absent"),
  },
  { requiredKeys: [] },
);

type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** Two processes write at the same time, each into a segment of its own. */
async function write(dir: string, first: readonly Call[], second: readonly Call[]) {
  const recorders = [openRecorder(dir), openRecorder(dir)] as const;
  for (let at = 0; at < Math.max(first.length, second.length); at++) {
    for (const [process, calls] of [first, second].entries()) {
      const next = calls[at];
      if (next === undefined) continue;
      const { tool, agent, task, session, time, word, denied } = next;
      const members = { agent, taskId: task, sessionId: session, arguments: { word } };
      const error = { type: "ToolPermissionError", code: "ACCESS_DENIED", message: "no", retryable: false };
      const outcome = { toolName: tool, startedAt: time, ...(denied && { error }) };
      await recorders[process]?.record(toRecord(`call_${process}_${at}`, members, outcome));
    }
  }
  await Promise.all(recorders.map((recorder) => recorder.close()));
}

function fits(record: AuditRecord, wanted: AuditQuery): boolean {
  const text = wanted.text?.toLowerCase();
  const shown = JSON.stringify([record.tool, record.arguments, record.error]).toLowerCase();
  return (
    (wanted.tool === undefined ||
      wanted.tool === record.tool ||
      (wanted.tool === "*_file" && record.tool.endsWith("_file"))) &&
    (wanted.agent ?? record.agent) === record.agent &&
    (wanted.taskId === undefined || wanted.taskId === record.taskId) &&
    (wanted.sessionId ?? record.sessionId) === record.sessionId &&
    (wanted.outcome ?? record.outcome) === record.outcome &&
    record.time >= (wanted.since ?? 0) &&
    record.time <= (wanted.until ?? Infinity) &&
    (text === undefined || shown.includes(JSON.stringify(text).slice(1, -1)))
  );
}

describe("searching the log", () => {
  it("finds what a look at every record finds, in pages as in one go", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 40 }),
        fc.array(call, { maxLength: 20 }),
        query,
        async (first, second, wanted) => {
          const dir = newDir();
          await write(dir, first, second);
          const log = readLog(dir);
          const all = await log.search({ limit: 1000 });
          expect(all).toHaveLength(first.length + second.length);
          const found = await log.search({ ...wanted, limit: 1000 });
          expect(found.map(({ seq }) => seq)).toEqual(
            all.filter((record) => fits(record, wanted)).map(({ seq }) => seq),
          );
          const pages: number[] = [];
          for (let before: number | undefined; ;) {
            const page = await log.search({ ...wanted, limit: 3, before });
            pages.push(...page.map(({ seq }) => seq));
            before = page.at(-1)?.seq;
            if (before === undefined) break;
          }
          expect(pages).toEqual(found.map(({ seq }) => seq));
          const tally = await log.tally(wanted, 7);
          const counted = Object.values(tally.counts).flatMap((column) => [...column]);
          expect(tally.total).toBe(found.length);
          expect(counted.reduce((sum, count) => sum + count, 0)).toBe(found.length);
          const groups = await log.groups("session");
          expect(groups.map(({ calls }) => calls).reduce((sum, count) => sum + count, 0)).toBe(all.length);
          const lines: string[] = [];
          for await (const line of log.export(wanted)) lines.push(line);
          const exported = lines.map((line) => (JSON.parse(line) as AuditRecord).seq);
          expect(exported.toReversed()).toEqual(found.map(({ seq }) => seq));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("keeps the order of the log across segments of two processes, and finds by id and place", async () => {
    const dir = newDir();
    const [one, two] = [openRecorder(dir), openRecorder(dir)];
    for (let at = 0; at < 6; at++) {
      const recorder = at % 2 === 0 ? one : two;
      await recorder.record(toRecord(`call_${at}`, {}, { startedAt: 1000 + at * 10 }));
    }
    await Promise.all([one.close(), two.close()]);
    const log = readLog(dir);
    const found = await log.search();
    expect(found.map(({ callId }) => callId)).toEqual([5, 4, 3, 2, 1, 0].map((at) => `call_${at}`));
    expect(await log.get("call_3")).toMatchObject({ callId: "call_3" });
    expect(await log.get(found[0]?.seq ?? 0)).toMatchObject({ callId: "call_5" });
    expect(await log.get("nothing")).toBeUndefined();
    expect(await log.get(999_999_999)).toBeUndefined();
  });

  it("finds a text in any line of many blocks, and lets others have their turn meanwhile", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    const word = (at: number) => (at % 300 === 7 ? `Übung ${at}` : `Step-${at} é`);
    for (let at = 0; at < 6000; at++) await recorder.record(toRecord("c", { arguments: { word: word(at) } }));
    await recorder.close();
    const log = readLog(dir);
    await log.search();
    for (const text of ["übung", "step-1", "P-5", "é", "zq"]) {
      let turns = 0;
      const turn = setImmediate(() => turns++);
      const found = await log.search({ text, limit: 6000 });
      clearImmediate(turn);
      const wanted = Array.from({ length: 6000 }, (_, at) => word(at)).filter((each) =>
        each.toLowerCase().includes(text.toLowerCase()),
      );
      expect(found.map((record) => (record.arguments as { word: string }).word).toReversed()).toEqual(wanted);
      if (text === "zq") expect(turns).toBeGreaterThan(0); // every block was read
    }
  });

  it("goes on from what it kept of the index, and without it where that is damaged", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    for (let at = 0; at < 2500; at++) await recorder.record(toRecord(`call_${at}`));
    expect(await readLog(dir).search({ text: "call_77" })).not.toHaveLength(0);
    for (let at = 2500; at < 2600; at++) await recorder.record(toRecord(`call_${at}`));
    await recorder.close();
    expect((await readLog(dir).search({ limit: 5000 })).length).toBe(2600);
    const { writeFileSync } = await import("node:fs");
    const { segmentPaths } = await import("./segment-files.js");
    writeFileSync(segmentPaths(dir, 0).index, "no index at all");
    expect((await readLog(dir).search({ limit: 5000 })).length).toBe(2600);
  });
});
