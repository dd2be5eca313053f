import { expect, it } from "vitest";
import { exportLog, toCell } from "./export-log.js";

async function* lines(...records: readonly object[]): AsyncGenerator<string> {
  for (const record of records) yield JSON.stringify(record);
}

it("exports a record with all its columns, quoted where a spreadsheet needs it", async () => {
  const record = {
    seq: 1,
    time: 0,
    tool: "t",
    outcome: "error",
    durationMs: 5,
    approval: { waitedMs: 7 },
    agent: "a",
    userId: "u",
    sessionId: "s",
    taskId: "k",
    callId: "c",
    parentCallId: "p",
    error: { code: "E", message: 'no, "never"' },
    arguments: { x: 1 },
  };
  const text = await new Response(
    exportLog(lines(record, { ...record, waitedForPersonMs: 9 }), "csv"),
  ).text();
  const row = (waited: number) =>
    `1,1970-01-01T00:00:00.000Z,t,error,5,${waited},a,u,s,k,c,p,E,"no, ""never""","{""x"":1}"`;
  expect(text.split("\n")).toEqual([
    "seq,time,tool,outcome,durationMs,waitedForPersonMs,agent,userId,sessionId,taskId,callId,parentCallId,errorCode,errorMessage,arguments",
    row(7),
    row(9),
    "",
  ]);
});

it("exports any number of lines as they are", async () => {
  const records = Array.from({ length: 1001 }, (_, seq) => ({ seq }));
  const text = await new Response(exportLog(lines(...records), "jsonl")).text();
  expect(text).toBe(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
});

it.each([
  [undefined, ""],
  [null, ""],
  [7, "7"],
  ["=1+1", "'=1+1"],
  ["-x", "'-x"],
  ["a\nb", '"a\nb"'],
  [[1], "[1]"],
])("has a cell for %j", (value, cell) => {
  expect(toCell(value)).toBe(cell);
});
