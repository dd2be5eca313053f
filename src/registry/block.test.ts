import { describe, expect, it } from "vitest";
import { toUnavailable } from "./block.js";

describe("toUnavailable", () => {
  const block = { code: "TOOL_UNHEALTHY", reason: "failed its health check" } as const;

  it("says when the tool is tried again, in whole seconds", () => {
    const now = Date.UTC(2026, 0, 1);
    const error = toUnavailable("fetch", { ...block, availableAt: now + 60_000 }, now);
    expect(error).toMatchObject({
      code: "TOOL_UNHEALTHY",
      message: 'Tool "fetch" failed its health check.',
      retryable: true,
      hint: "It is tried again at 2026-01-01T00:01:00.000Z, in 60 s; use another tool until then.",
      details: { availableAt: now + 60_000 },
    });
    expect(toUnavailable("fetch", { ...block, availableAt: now + 1 }, now).hint).toContain("in 1 s;");
  });

  it("names no time that has passed or is not known", () => {
    expect(toUnavailable("fetch", { ...block, availableAt: 5 }, 5).hint).toBe(
      "Call again in a moment, or use another tool.",
    );
    expect(toUnavailable("fetch", block, 5)).not.toHaveProperty("details.availableAt");
    const disabled = toUnavailable("fetch", { code: "TOOL_DISABLED", reason: "is disabled" }, 5);
    expect(disabled).toMatchObject({ retryable: false, hint: expect.stringContaining("enable it") });
  });
});
