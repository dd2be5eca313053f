import { describe, expect, it } from "vitest";
import { TalliedCalls } from "./tally.js";
import { newDir, openRecorder, readLog, toRecord } from "./testing/fixture.js";

const [success, failure, denied, interrupted] = [0, 1, 2, 3];

function callsAt(...calls: readonly (readonly [time: number, outcome: number])[]): TalliedCalls {
  const tallied = new TalliedCalls();
  for (const [time, outcome] of calls) tallied.add(time, outcome);
  return tallied;
}

describe("calls over time", () => {
  it("are counted by how they ended, in intervals from the first to the last", () => {
    const calls = callsAt([100, success], [119, denied], [120, failure], [199, interrupted], [110, success]);
    expect(calls.tally({}, 5)).toEqual({
      from: 100,
      widthMs: 20,
      total: 5,
      counts: {
        success: [2, 0, 0, 0, 0],
        failure: [0, 1, 0, 0, 0],
        denied: [1, 0, 0, 0, 0],
        interrupted: [0, 0, 0, 0, 1],
      },
    });
  });

  it("are counted in the range that is asked for, what lies outside at its ends", () => {
    const calls = callsAt([5, success], [10, success], [19, success], [20, success], [100, success]);
    expect(calls.tally({ since: 10, until: 29 }, 2)).toMatchObject({
      from: 10,
      widthMs: 10,
      counts: { success: [3, 2] },
    });
  });

  it("have intervals of at least a millisecond, though there is one call or none", () => {
    expect(callsAt([7, denied]).tally({}, 3)).toMatchObject({
      from: 7,
      widthMs: 1,
      total: 1,
      counts: { denied: [1, 0, 0], success: [0, 0, 0] },
    });
    expect(callsAt().tally({}, 2)).toMatchObject({
      from: 0,
      widthMs: 1,
      total: 0,
      counts: { success: [0, 0] },
    });
    expect(callsAt().tally({ since: 50, until: 50 }, 2)).toMatchObject({ from: 50, widthMs: 1, total: 0 });
  });
});

describe("the tasks of a log", () => {
  it("have their calls, failures and denials, and when they began and ended, the newest first", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    const error = (type: string) => ({ type, code: "X", message: "no", retryable: false });
    const calls: [string | undefined, number, ReturnType<typeof error> | undefined][] = [
      ["early", 1000, undefined],
      ["late", 1010, error("ToolPermissionError")],
      ["early", 900, error("ToolExecutionError")],
      [undefined, 1020, undefined],
      ["late", 1030, error("ToolSecurityError")],
      ["late", 1040, undefined],
    ];
    for (const [at, [taskId, startedAt, fault]] of calls.entries())
      await recorder.record(
        toRecord(
          `call_${at}`,
          { taskId },
          {
            startedAt,
            durationMs: 5,
            ...(fault && { error: fault }),
          },
        ),
      );
    await recorder.close();
    const log = readLog(dir);
    const late = { id: "late", calls: 3, failures: 0, denied: 2, first: 1010, last: 1045 };
    const early = { id: "early", calls: 2, failures: 1, denied: 0, first: 900, last: 1015 };
    expect(await log.groups("task")).toEqual([late, early]);
    expect(await log.groups("task", 1)).toEqual([late]);
    expect(await log.groups("session")).toMatchObject([{ id: "session", calls: 6, failures: 1, denied: 2 }]);
  });
});
