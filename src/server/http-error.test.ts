import { describe, expect, it } from "vitest";
import { errorCodes } from "../contract/error-codes.js";
import { ToolError, ToolResourceNotFoundError, ToolUnavailableError } from "../contract/errors.js";
import { PolicyError } from "../policy/policy-error.js";
import { toHttpError } from "./http-error.js";

const status = (thrown: unknown): number => toHttpError(thrown).status;

describe("the HTTP status of a failure", () => {
  it("is that of its class, or of the class it is derived from", () => {
    expect(status(new ToolResourceNotFoundError("gone"))).toBe(404);
    expect(status(new ToolUnavailableError("away"))).toBe(503);
    expect(status(new PolicyError([{ rule: "user#1", message: "wrong" }]))).toBe(400);
  });

  it("is that of its code where another process reported it and only code and message are known", () => {
    expect(status(new ToolError("Workspace not found.", { code: "RESOURCE_NOT_FOUND" }))).toBe(404);
    for (const [code, { type }] of Object.entries(errorCodes)) {
      const isOurs = ["ToolExecutionError", "ToolInternalError"].includes(type) && code !== "FILE_CONFLICT";
      expect([code, status(new ToolError("no", { code })) >= 500]).toEqual([
        code,
        isOurs || /Unavailable|Timeout/.test(type),
      ]);
    }
  });

  it("is 500 where nothing is known, and says nothing of the cause", () => {
    expect(status(new ToolError("no", { code: "OF_A_PLUGIN" }))).toBe(500);
    expect(toHttpError(new Error("/root/secret")).body.error.message).not.toContain("secret");
  });
});
