import { describe, expect, it } from "vitest";
import * as surface from "../src/index.js";

describe("the public surface", () => {
  it("is exactly this", () => {
    expect(Object.keys(surface).toSorted()).toEqual([
      "ConfigError",
      "ToolCancelledError",
      "ToolDefinitionError",
      "ToolError",
      "ToolExecutionError",
      "ToolInternalError",
      "ToolNotFoundError",
      "ToolPermissionError",
      "ToolRegistry",
      "ToolResourceNotFoundError",
      "ToolSecurityError",
      "ToolTimeoutError",
      "ToolUnavailableError",
      "ToolValidationError",
      "createTenon",
      "defineConfig",
      "defineTool",
      "errorCodes",
      "loadConfig",
      "securityLevels",
      "toolCategories",
      "toolStates",
    ]);
  });
});
