import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolValidationError } from "../../contract/errors.js";
import { createTestClock, createTestContext } from "../testing/context.js";
import { currentTime } from "./current-time.js";

const winter = Date.UTC(2026, 10, 16, 1, 0, 0);
const summer = Date.UTC(2026, 6, 1, 12, 30, 15, 7);

interface Time {
  timestamp: number;
  iso: string;
  timezone: string;
}

function timeAt(now: number, timezone?: string): Time {
  const input = timezone === undefined ? {} : { timezone };
  return currentTime.execute(input, createTestContext({ clock: createTestClock(now) })) as Time;
}

function refusal(timezone: string): ToolValidationError {
  try {
    timeAt(winter, timezone);
  } catch (error) {
    return error as ToolValidationError;
  }
  throw new Error(`${timezone} was taken`);
}

describe("current_time", () => {
  it.each([
    ["Asia/Shanghai", winter, "2026-11-16T09:00:00.000+08:00"],
    ["UTC", winter, "2026-11-16T01:00:00.000Z"],
    ["Etc/UTC", winter, "2026-11-16T01:00:00.000Z"],
    ["America/New_York", winter, "2026-11-15T20:00:00.000-05:00"],
    ["America/New_York", summer, "2026-07-01T08:30:15.007-04:00"],
    ["Asia/Kolkata", winter, "2026-11-16T06:30:00.000+05:30"],
    ["America/St_Johns", winter, "2026-11-15T21:30:00.000-03:30"],
    ["Europe/London", winter, "2026-11-16T01:00:00.000+00:00"],
    ["Pacific/Kiritimati", winter, "2026-11-16T15:00:00.000+14:00"],
  ])("tells the time in %s with its offset", (timezone, now, iso) => {
    expect(timeAt(now, timezone)).toEqual({ timestamp: now, iso, timezone });
  });

  it("takes the zone of the machine when none is named", () => {
    const { timestamp, iso, timezone } = timeAt(winter);
    expect(timezone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(timestamp).toBe(winter);
    expect(Date.parse(iso)).toBe(winter);
  });

  it("puts the name into its proper case", () => {
    expect(timeAt(winter, "asia/shanghai").timezone).toBe("Asia/Shanghai");
  });

  it("always names the very instant of the timestamp", () => {
    const zones = fc.constantFrom("UTC", ...Intl.supportedValuesOf("timeZone"));
    const instants = fc.integer({ min: Date.UTC(1800, 0), max: Date.UTC(2400, 0) });
    fc.assert(
      fc.property(zones, instants, (zone, now) => {
        const { iso } = timeAt(now, zone);
        expect(iso).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)$/);
        expect(Date.parse(iso)).toBe(now);
      }),
    );
  });

  it.each([
    ["Asia/Shangai", "Asia/Shanghai"],
    ["Shanghai", "Asia/Shanghai"],
    ["America/New York", "America/New_York"],
    ["Europe/Pari", "Europe/Paris"],
  ])("refuses %s and suggests %s", (wrong, right) => {
    const error = refusal(wrong);
    expect(error).toBeInstanceOf(ToolValidationError);
    expect(error).toMatchObject({ code: "VALUE_INVALID", details: { suggestion: right } });
    expect(error.message).toContain(wrong);
    expect(error.hint).toContain(right);
  });

  it.each([
    "",
    " ",
    "Mars/Olympus_Mons",
    "CST",
    "ist",
    "UTC\0",
    "../../etc/localtime",
    "constructor",
    "上海",
  ])("refuses %j with the way to a right name", (wrong) => {
    const error = refusal(wrong);
    expect(error).toMatchObject({ name: "ToolValidationError", code: "VALUE_INVALID" });
    expect(error.hint).toMatch(/IANA|Did you mean/);
  });

  it("tells the model the weekday as well", () => {
    const text = currentTime.render?.(timeAt(winter, "Asia/Shanghai"), { timezone: "Asia/Shanghai" });
    expect(text).toBe("2026-11-16T09:00:00.000+08:00 (Monday, Asia/Shanghai)");
  });
});
