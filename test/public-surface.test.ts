import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as surface from "../src/index.js";
import * as testing from "../src/testing.js";

/** In a process of its own: test files that share this one may have loaded the library. */
const program = `
import { createRequire } from "node:module";
const entry = ${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)};
const built = await import(entry);
const { cache } = createRequire(entry);
const isLoaded = () => Object.keys(cache).some((file) => file.endsWith("/dist/library.cjs"));
const names = Object.keys(built).sort();
const tools = Object.keys(built.builtInTools);
const before = isLoaded();
const refused = await built.builtInTools.read_file.execute({}, {}).catch((error) => error);
const isRefused = refused instanceof built.ToolValidationError;
console.log(JSON.stringify({ names, tools, wasLoaded: [before, isLoaded()], isRefused }));
`;

/** Each chunk as the first one that a process loads: none may need one that is still loading. */
const chunks = `
const folder = ${JSON.stringify(new URL("../dist/chunks/", import.meta.url).pathname)};
const failed = [];
for (const name of require("node:fs").readdirSync(folder).filter((file) => file.endsWith(".cjs"))) {
  for (const file of Object.keys(require.cache)) delete require.cache[file];
  try {
    ({ ...require(folder + name) });
  } catch (error) {
    failed.push(name + ": " + error.message);
  }
}
console.log(JSON.stringify(failed));
`;

describe("the public surface", () => {
  it("has chunks behind it that load in any order", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", chunks]);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it("of the built package is the same, and loads most of the library only when it is used", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
    expect(JSON.parse(stdout)).toEqual({
      names: Object.keys(surface).toSorted(),
      tools: Object.keys(surface.builtInTools),
      wasLoaded: [false, true],
      isRefused: true,
    });
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
