import { describe, expect, it } from "vitest";
import {
  createTenon,
  loadConfig,
  openUpstream,
  parseToolCalls,
  pinoLog,
  reflect,
  renderPrometheus,
  runAgent,
  wrapMCPTool,
} from "../index.js";

describe("the options of createTenon", () => {
  it.each([
    ["mode", 'Unknown option "mode" for createTenon', /"mode" is a setting.*config/],
    ["workspaceDir", 'Unknown option "workspaceDir" for createTenon', /"workspaceDir" is a setting/],
    ["workspac", 'Unknown option "workspac" for createTenon', /"workspace"/],
    ["zzzzzzzzz", 'Unknown option "zzzzzzzzz" for createTenon', /The known ones are workspace, /],
  ])("refuses %s, which would have no effect, and says where it belongs", (key, message, hint) => {
    const create = () => createTenon({ [key]: "read-only" });
    expect(create).toThrow(message);
    expect(create).toThrow(expect.objectContaining({ hint: expect.stringMatching(hint) as string }));
  });
});

describe("the options of a session", () => {
  const tenon = createTenon({ config: { database: ":memory:" } });

  it.each<[string, unknown, RegExp]>([
    ["native", "anthropic", /"native" of a session must be a list of strings, found "anthropic"/],
    ["allowedPaths", "src", /"allowedPaths" of a session must be a list of strings, found "src"/],
    ["tools", {}, /must be a list of strings, found an object/],
    ["role", "Viewer", /must be one of viewer, operator, approver, admin, found "Viewer"/],
    ["id", 5, /must be a string, found 5/],
    ["toolset", ["readonly"], /must be a string, found a list/],
    ["env", { A: 1 }, /must be an object of strings/],
    ["sees", ["read_file"], /must be a function, found a list/],
    ["interact", "x", /must be an object, found "x"/],
    ["agent", null, /must be a string, found null/],
  ])("refuse %s: %j", (key, value, message) => {
    const open = () => tenon.createSession({ [key]: value });
    expect(open).toThrow(message);
    if (value === "src") expect(open).toThrow(expect.objectContaining({ hint: 'Write ["src"].' }));
  });

  it("may be undefined", () => {
    expect(() => tenon.createSession({ native: undefined, role: undefined } as never)).not.toThrow();
  });
});

describe("the options of other functions", () => {
  const tenon = createTenon({ config: { database: ":memory:" } });
  const session = tenon.createSession();
  const wrong = (key: string): never => ({ [key]: 1 }) as never;
  const address = { kind: "address", url: "http://127.0.0.1:9/mcp" } as const;
  const time = { timeoutMs: 1000 };
  const load = { workspace: "/", home: "/", env: {}, trusted: () => false };

  it.each<[string, string, () => unknown]>([
    ["maxStep", "maxSteps", () => runAgent(tenon, wrong("maxStep"))],
    ["maxCall", "maxCalls", () => parseToolCalls("", wrong("maxCall"))],
    ["inprocess", "inProcess", () => tenon.loadPlugin("./none.js", wrong("inprocess"))],
    ["memry", "memory", () => tenon.loadPlugin("./none.js", { limits: wrong("memry") })],
    ["configFil", "configFile", () => loadConfig({ ...load, ...(wrong("configFil") as object) })],
    ["lives", "live", () => tenon.replay("t", wrong("lives"))],
    ["planTask", "planTasks", () => tenon.reflect("t", wrong("planTask"))],
    ["planTask", "planTasks", () => reflect({ actionsDone: [] }, wrong("planTask"))],
    ["gracems", "graceMs", () => tenon.close(wrong("gracems"))],
    ["principle", "principal", () => tenon.result("c", wrong("principle"))],
    ["callID", "callId", () => tenon.undo(wrong("callID"))],
    ["forced", "force", () => tenon.undo({ last: true }, wrong("forced"))],
    ["callID", "callId", () => tenon.previewUndo(wrong("callID"))],
    ["limits", "limit", () => tenon.history(wrong("limits"))],
    ["tools", "tool", () => tenon.toolReport(wrong("tools"))],
    ["consider", "considered", () => session.explain({ name: "x" }, wrong("consider"))],
    ["toolSet", "toolset", () => tenon.registry.list(wrong("toolSet"))],
    ["categry", "category", () => tenon.registry.find(wrong("categry"))],
    ["strickt", "strict", () => session.toLLMTools("openai", wrong("strickt"))],
    ["maxToken", "maxTokens", () => session.prompt(wrong("maxToken"))],
    ["maxTool", "maxTools", () => renderPrometheus(tenon.metrics.snapshot(), wrong("maxTool"))],
    ["files", "file", () => pinoLog(wrong("files"))],
    ["servr", "server", () => wrapMCPTool({} as never, {} as never, wrong("servr"))],
    [
      "headrs",
      "headers",
      () => openUpstream({ kind: "address", url: "http://x", headrs: {} } as never, time),
    ],
    ["comand", "command", () => openUpstream({ kind: "program", comand: "x", env: {} } as never, time)],
    ["timoutMs", "timeoutMs", () => openUpstream(address, { ...time, timoutMs: 1 } as never)],
    ["userID", "userId", () => createTenon({ actor: wrong("userID") })],
    ["recordContents", "recordContent", () => createTenon({ telemetry: wrong("recordContents") })],
  ])("refuse %s and name %s", async (key, meant, use) => {
    await expect((async () => use())()).rejects.toMatchObject({
      message: expect.stringContaining(`Unknown option "${key}"`) as string,
      hint: expect.stringContaining(`"${meant}"`) as string,
    });
  });

  it.each<[string, unknown, unknown]>([
    ["Unknown kind undefined", null, time],
    ["Unknown kind undefined", { command: "x" }, time],
    ["The url of the MCP server for openUpstream is missing", { kind: "address" }, time],
    ["The url of the MCP server for openUpstream is invalid", { kind: "address", url: "x" }, time],
    [
      "The command of the MCP server for openUpstream is invalid",
      { kind: "program", command: 5, env: {} },
      time,
    ],
    ["The args of the MCP server", { kind: "program", command: "x", args: "y", env: {} }, time],
    ["The env of the MCP server", { kind: "program", command: "x", env: { A: 5 } }, time],
    ["openUpstream needs timeoutMs", address, undefined],
    ["openUpstream needs timeoutMs", address, { timeoutMs: "soon" }],
  ])("say of a server: %s", async (message, spec, options) => {
    await expect(openUpstream(spec as never, options as never)).rejects.toMatchObject({
      code: "DEFINITION_INVALID",
      message: expect.stringContaining(message) as string,
    });
  });

  it("close it after all", async () => {
    await expect(tenon.close({ graceMs: 0 })).resolves.toBeUndefined();
  });
});
