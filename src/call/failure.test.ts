import { describe, expect, it } from "vitest";
import { ToolExecutionError, ToolTimeoutError } from "../contract/errors.js";
import { isCritical, toErrorInfo, toToolError } from "./failure.js";

describe("what a tool throws", () => {
  it("of Tenon's own kind stands, with the name of the tool unless it has one", () => {
    const error = new ToolExecutionError("no");
    expect(toToolError(error, "t")).toBe(error);
    expect(error.toolName).toBe("t");
    expect(toToolError(error, "other").toolName).toBe("t");
    expect(toToolError(Object.freeze(new ToolExecutionError("no")), "t").toolName).toBeUndefined();
  });

  it.each([
    ["AbortError", "ToolCancelledError"],
    ["TimeoutError", "ToolTimeoutError"],
    ["TypeError", "ToolExecutionError"],
  ])("with the name %s is a %s", (name, expected) => {
    expect(toToolError(Object.assign(new Error("no"), { name }), "t").name).toBe(expected);
  });

  it("keeps the system's code, and is worth a retry where the code says so", () => {
    const thrown = (code: unknown) => toErrorInfo(toToolError(Object.assign(new Error("no"), { code }), "t"));
    expect(thrown("ECONNRESET")).toMatchObject({
      retryable: true,
      details: { unexpected: true, systemCode: "ECONNRESET" },
    });
    expect(thrown("ENOENT")).toMatchObject({ retryable: false, details: { systemCode: "ENOENT" } });
    expect(thrown(7).details).toEqual({ unexpected: true });
  });

  it("without a message is shown as what it is", () => {
    expect(toToolError("text", "t").message).toBe("The tool threw text");
    expect(toToolError(new Error("no"), "t").message).toBe("no");
  });

  it("may refuse to be read", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(toToolError(proxy, "t")).toBeInstanceOf(ToolExecutionError);
  });
});

describe("an error in the envelope", () => {
  it("has texts only where texts belong, and each within a bound", () => {
    const error = new ToolExecutionError("m".repeat(5000), { hint: "h".repeat(4000) });
    const { message, hint, type } = toErrorInfo(error);
    expect([message.length, message.at(-1), hint?.length, type]).toEqual([
      4001,
      "…",
      4000,
      "ToolExecutionError",
    ]);
    const odd = new ToolExecutionError("no", { code: 7 as never, hint: ["x"] as never });
    expect(toErrorInfo(odd)).toMatchObject({ code: "EXECUTION_FAILED", message: "no" });
    expect(toErrorInfo(odd)).not.toHaveProperty("hint");
    const nameless = Object.defineProperty(new ToolExecutionError("no"), "name", { value: 7 });
    expect(toErrorInfo(nameless).type).toBe("ToolError");
  });

  it("says of a detail that is not plain data why, and keeps the others", () => {
    const error = new ToolExecutionError("no", { details: { a: 1, b: () => 1, c: undefined } });
    const { details } = toErrorInfo(error);
    expect(details).toEqual({ a: 1, b: expect.stringMatching(/^\[.*function.*\]$/) });
  });

  it("says something about the tool's health unless the tool threw it on purpose or it may pass", () => {
    expect(isCritical(toToolError(new Error("boom"), "t"))).toBe(true);
    expect(isCritical(new ToolTimeoutError("late"))).toBe(true);
    expect(isCritical(new ToolExecutionError("no"))).toBe(false);
    expect(isCritical(toToolError(Object.assign(new Error("no"), { code: "EPIPE" }), "t"))).toBe(false);
  });
});
