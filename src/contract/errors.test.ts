import { describe, expect, it } from "vitest";
import { errorCodes } from "./error-codes.js";
import { isErrorType, toolErrorByCode, ToolPermissionError, ToolUnavailableError } from "./errors.js";

describe("an error that came without its class", () => {
  it.each(Object.entries(errorCodes).filter(([, { type }]) => isErrorType(type)))(
    "gets the class of its code: %s",
    (code, { type }) => {
      const error = toolErrorByCode({ code, message: 'Tool "a" not found.', hint: "Try b." });
      expect(error).toMatchObject({ name: type, code, hint: "Try b." });
    },
  );

  it("can be tried again where that class can", () => {
    expect(toolErrorByCode({ code: "FLEET_UNAVAILABLE", message: "x" })).toMatchObject({ retryable: true });
    expect(toolErrorByCode({ code: "ACCESS_DENIED", message: "x" })).toMatchObject({ retryable: false });
    expect(toolErrorByCode({ code: "FLEET_UNAVAILABLE", message: "x" })).toBeInstanceOf(ToolUnavailableError);
    expect(toolErrorByCode({ code: "ACCESS_DENIED", message: "x" })).toBeInstanceOf(ToolPermissionError);
  });

  it("is of the general class where the code is unknown", () => {
    for (const code of ["MADE_UP", "constructor", "__proto__"])
      expect(toolErrorByCode({ code, message: "x" })).toMatchObject({
        name: "ToolError",
        code,
        message: "x",
      });
  });
});
