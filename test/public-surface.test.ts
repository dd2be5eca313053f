import { describe, expect, it } from "vitest";
import * as surface from "../src/index.js";
import * as testing from "../src/testing.js";

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
      "ToolPromptGenerator",
      "ToolRegistry",
      "ToolResourceNotFoundError",
      "ToolSecurityError",
      "ToolTimeoutError",
      "ToolUnavailableError",
      "ToolValidationError",
      "builtInTools",
      "createMcpHost",
      "createTenon",
      "defineChain",
      "defineConfig",
      "definePlugin",
      "defineTool",
      "errorCodes",
      "extendTool",
      "generateToolsPrompt",
      "loadConfig",
      "openUpstream",
      "parseToolCalls",
      "pinoLog",
      "printToolCall",
      "prometheusContentType",
      "readToolCalls",
      "reflect",
      "renderPrometheus",
      "runAgent",
      "securityLevels",
      "serveStdio",
      "toAiSdkTools",
      "toLangChainTools",
      "toToolMessages",
      "toolCategories",
      "toolStates",
      "wrapMCPTool",
    ]);
  });

  it("of tenon/testing is exactly this", () => {
    expect(Object.keys(testing).toSorted()).toEqual([
      "createTestContext",
      "toFailWith",
      "toSucceed",
      "toSucceedWith",
    ]);
  });
});
