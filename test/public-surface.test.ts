import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import * as surface from "../src/index.js";
import * as testing from "../src/testing.js";

describe("the public surface", () => {
  it("of the built package is the same, and loads most of the library only when it is used", async () => {
    const entry = new URL("../dist/index.js", import.meta.url);
    const built = (await import(/* @vite-ignore */ entry.href)) as typeof surface;
    expect(Object.keys(built).toSorted()).toEqual(Object.keys(surface).toSorted());
    const { cache } = createRequire(entry);
    const isLoaded = (): boolean => Object.keys(cache).some((file) => file.endsWith("/dist/library.cjs"));
    expect(Object.keys(built.builtInTools)).toEqual(Object.keys(surface.builtInTools));
    expect(isLoaded()).toBe(false);
    const refused = await built.builtInTools.read_file
      .execute({} as never, {} as never)
      .catch((error: unknown) => error);
    expect(isLoaded()).toBe(true);
    expect(refused).toBeInstanceOf(built.ToolValidationError);
  });

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
