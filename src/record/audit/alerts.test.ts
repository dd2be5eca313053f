import { describe, expect, it } from "vitest";
import type { AuditAlert } from "../../contract/ports/audit.js";
import { createAlertWatch, type WatchedCall } from "./alerts.js";

const today = 1_700_000_000_000;

/** See calls at these times of a day; returns what was reported, as `kind at time`. */
function watchCalls(calls: Iterable<Partial<WatchedCall>>): { kinds: string[]; alerts: AuditAlert[] } {
  const alerts: AuditAlert[] = [];
  const watch = createAlertWatch((alert) => alerts.push(alert));
  const base = { tool: "read_file", sessionId: "s", agent: "a", time: 0, outcome: "success" } as const;
  for (const call of calls) watch.see({ ...base, ...call, time: today + (call.time ?? 0) });
  expect(watch.alerts()).toEqual(alerts.toReversed());
  return { kinds: alerts.map(({ kind, time }) => `${kind} at ${time - today}`), alerts };
}

function many(count: number, callOf: (at: number) => Partial<WatchedCall>): Partial<WatchedCall>[] {
  return Array.from({ length: count }, (_, at) => callOf(at));
}

const denied = (time: number): Partial<WatchedCall> => ({ time, outcome: "denied" });

describe("alerts", () => {
  it("come with the eighth denial within a minute, not before, and not where they are spread out", () => {
    expect(watchCalls(many(7, (at) => denied(1000 + at))).kinds).toEqual([]);
    expect(watchCalls(many(8, (at) => denied(1000 + at))).kinds).toEqual(["denials at 1007"]);
    // The window begins with its first call and lasts a minute, its end included.
    expect(watchCalls([...many(7, () => denied(1000)), denied(61_000)]).kinds).toEqual(["denials at 61000"]);
    expect(watchCalls([...many(7, () => denied(1000)), denied(61_001)]).kinds).toEqual([]);
    expect(watchCalls(many(7, () => ({ time: 1 })).concat(many(7, () => denied(2)))).kinds).toEqual([]);
  });

  it("come with the 3,000th call within ten seconds", () => {
    const calls = (last: number) => [...many(2999, () => ({ time: 1000 })), { time: last }];
    expect(watchCalls(calls(1000).slice(1)).kinds).toEqual([]);
    expect(watchCalls(calls(11_000)).kinds).toEqual(["burst at 11000"]);
    expect(watchCalls(calls(11_001)).kinds).toEqual([]);
  });

  it.each(["PATH_OUTSIDE", "HOST_DENIED", "EGRESS_DENIED", "ADDRESS_DENIED", "SYMLINK_REFUSED"])(
    "come with the fourth try at what is out of bounds: %s",
    (errorCode) => {
      expect(watchCalls(many(3, (at) => ({ ...denied(at), errorCode }))).kinds).toEqual([]);
      expect(watchCalls(many(4, (at) => ({ ...denied(at), errorCode }))).kinds).toEqual(["probing at 3"]);
    },
  );

  it("take other denials and other failures not for probing", () => {
    expect(watchCalls(many(7, (at) => ({ ...denied(at), errorCode: "RULE_PATH" }))).kinds).toEqual([]);
    const failed = many(9, (time) => ({ time, outcome: "failure" as const, errorCode: "PATH_OUTSIDE" }));
    expect(watchCalls(failed).kinds).toEqual([]);
  });

  it("come once a minute for each kind and session", () => {
    const calls = many(200, (at) => denied(at * 1000));
    expect(watchCalls(calls).kinds).toEqual([
      "denials at 7000",
      "denials at 68000",
      "denials at 129000",
      "denials at 190000",
    ]);
    const two = many(16, (at) => ({ ...denied(at), sessionId: `s${at % 2}` }));
    expect(watchCalls(two).kinds).toEqual(["denials at 14", "denials at 15"]);
  });

  it("start a new window where the clock went back", () => {
    expect(watchCalls([...many(7, () => denied(5000)), denied(1000)]).kinds).toEqual([]);
  });

  it("say how many calls in how long, whose, and of which tool the last one was", () => {
    const { alerts } = watchCalls(
      many(8, (at) => ({ ...denied(1000 + at * 500), tool: `t${at}`, agent: "me", sessionId: "s9" })),
    );
    expect(alerts).toMatchObject([{ kind: "denials", time: today + 4500, sessionId: "s9", agent: "me" }]);
    expect(alerts[0]?.message).toMatch(/^8 denied calls within 4 s by me in session s9\b.*\bt7\.$/);
    const [quick] = watchCalls(many(8, () => denied(1000))).alerts;
    expect(quick?.message).toContain("within 1 s");
  });

  it("forget the session that came first beyond a thousand", () => {
    const first = many(7, () => denied(1));
    const others = (count: number) => many(count, (at) => ({ time: 1, sessionId: `other ${at}` }));
    expect(watchCalls([...first, ...others(999), denied(2)]).kinds).toEqual(["denials at 2"]);
    expect(watchCalls([...first, ...others(1000), denied(2)]).kinds).toEqual([]);
  });
});
