import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as library from "../src/index.js";
import { createTestContext } from "../src/testing.js";
import type { Session, Tenon, ToolContext } from "../src/index.js";

const { createTenon, defineTool, ToolRegistry, ToolPromptGenerator } = library;

let base: string;
let tenon: Tenon;
let session: Session;
let context: ToolContext & { close?: () => Promise<void> };

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "tenon-unknown-keys-"));
  tenon = createTenon({ workspace: base, config: { stateDir: join(base, ".state") } });
  session = tenon.createSession();
  context = await createTestContext();
});
afterAll(async () => {
  await tenon.close();
  await context.close?.();
  rmSync(base, { recursive: true, force: true });
});

/** A key that nothing knows, in an object that is complete apart from it. */
const odd = { zzzKey: 1 } as never;
const withOdd = (rest: object): never => ({ ...rest, ...(odd as object) }) as never;
const tool = { name: "t", description: "d", category: "custom", input: [], execute: () => 1 } as const;
const upstream = { callTool: () => Promise.resolve({ content: [] }) } as never;
const signal = new AbortController().signal;
const registry = (): library.ToolRegistry => new ToolRegistry();

/** For each type of options that the public surface names in a signature: a call with an unknown key. */
const probes: Readonly<Record<string, () => unknown>> = {
  SimulateOptions: () => tenon.simulate(odd),
  AgentOptions: () => library.runAgent(tenon, withOdd({ model: {}, task: "x" })),
  ArtifactFilter: () => tenon.work.artifacts.list(odd),
  PrincipalQuery: () => tenon.access.principals(odd),
  TokenQuery: () => tenon.access.tokens(odd),
  ArtifactSelector: () => tenon.work.artifacts.read(withOdd({ name: "prd" })),
  AuditQuery: () => tenon.audit.search(odd),
  ChangeSelector: () => tenon.undo(odd),
  ExplainOptions: () => session.explain({ name: "current_time" }, odd),
  FeatureFilter: () => tenon.work.plan.features(odd),
  HistoryQuery: () => tenon.history(odd),
  LLMToolsOptions: () => session.toLLMTools("openai-chat", odd),
  ListFilter: () => registry().list(odd),
  LoadOptions: () => library.loadConfig(withOdd({ workspace: base })),
  McpHostOptions: () => library.createMcpHost(tenon, odd),
  MemoryQuery: () => tenon.work.memories.query(odd),
  ParseOptions: () => library.parseToolCalls("x", odd),
  PinoLogOptions: () => library.pinoLog(odd),
  PluginOptions: () => tenon.loadPlugin(base, odd),
  PrintableCall: () => library.printToolCall(withOdd({ name: "t", arguments: {} }), "json"),
  PrometheusOptions: () => library.renderPrometheus(tenon.metrics.snapshot(), odd),
  PurgeRequest: () => tenon.audit.purge(odd),
  ReflectOptions: () => tenon.reflect("t", odd),
  RegistryOptions: () => new ToolRegistry(odd),
  ReplayOptions: () => tenon.replay("t", odd),
  RequirementFilter: () => tenon.work.plan.requirements(odd),
  ResultOptions: () => tenon.result("c", odd),
  ServeStdioOptions: () => library.serveStdio(tenon, odd),
  SessionOptions: () => tenon.createSession(odd),
  SessionPromptOptions: () => session.prompt(odd),
  SnippetFilter: () => tenon.work.snippets.list(odd),
  TaskFilter: () => tenon.work.plan.tasks(odd),
  TenonOptions: () => createTenon(odd),
  ToolPromptOptions: () => new ToolPromptGenerator(odd),
  ToolQuery: () => registry().find(odd),
  ToolsetDefinition: () => registry().defineToolset("mine", [odd]),
  TrialOptions: () => tenon.mcp.tryInSandbox("x", {} as never, withOdd({ timeoutMs: 1 })),
  UndoOptions: () => tenon.undo({ last: true }, odd),
  UpstreamSpec: () =>
    library.openUpstream(withOdd({ kind: "program", command: "true", env: {} }), { timeoutMs: 1 }),
  WrapOptions: () => library.wrapMCPTool(upstream, { name: "t" } as never, withOdd({ server: "s" })),
};

const inline: Readonly<Record<string, () => unknown>> = {
  defineTool: () => {
    registry().register(defineTool(withOdd(tool)));
  },
  "annotations of a tool": () => {
    registry().register(defineTool({ ...tool, annotations: odd }));
  },
  extendTool: () => library.extendTool(defineTool(tool), odd),
  defineChain: () =>
    registry().register(
      library.defineChain(withOdd({ name: "c", description: "d", steps: [{ id: "s", tool: "t" }] })),
    ),
  "openUpstream's events": () =>
    library.openUpstream({ kind: "program", command: "true", env: {} }, withOdd({ timeoutMs: 1 })),
  "tenon.close": () => tenon.close(odd),
  "tenon.use": () => tenon.use(withOdd({ name: "x" })),
  "tenon.toolReport": () => tenon.toolReport(odd),
  "tenon.paths.check": () => tenon.paths.check("a", odd),
  "audit.export": async () => {
    for await (const _ of tenon.audit.export(odd)) break;
  },
  "audit.pastAlerts": () => tenon.audit.pastAlerts?.(odd),
  "mcp.connect": () => tenon.mcp.connect("x", withOdd({ kind: "program", command: "true", env: {} })),
  "mcp.restart": () => tenon.mcp.restart("x", odd),
  "mcp.callTool": () => tenon.mcp.callTool("x", "t", {}, odd),
  "mcp.login": () => tenon.mcp.login("x", withOdd({ onLogin: () => undefined, signal })),
  "mcp.logs": () => tenon.mcp.logs("x", odd),
  as: () => tenon.as(withOdd({ via: "console" })),
  "secrets.set": () => tenon.secrets.set(withOdd({ name: "A", value: "12345678" })),
  "secrets.remove": () => tenon.secrets.remove(withOdd({ name: "A" })),
  "access.addPrincipal": () =>
    tenon.access.addPrincipal(withOdd({ name: "a", kind: "person", role: "viewer" })),
  "access.changePrincipal": () => tenon.access.changePrincipal("a", odd),
  "access.createToken": () => tenon.access.createToken(withOdd({ name: "a", principal: "a" })),
  "layers.list": () => tenon.layers.list(odd),
  "quarantine.list": () => tenon.quarantine.list(odd),
  "registry.experiment": () => {
    const own = registry();
    own.register(defineTool({ ...tool, version: "1.0.0" }));
    own.experiment("t", [withOdd({ version: "1.0.0", weight: 1 })]);
  },
  "policy.addRule": () => tenon.policy.addRule("session", withOdd({ effect: "deny", tool: "x" })),
  "tenon.remember": () => tenon.remember(withOdd({ effect: "deny", tool: "x" })),
  createTestContext: () => createTestContext(odd),
  configuration: () => createTenon({ config: odd }),
};

/** Requests answer with an envelope; nothing is thrown. */
const requests: Readonly<Record<string, () => Promise<{ error?: { message: string } | undefined }>>> = {
  ToolRequest: () => session.call(withOdd({ name: "current_time" })),
  "options of a call": () => session.call("current_time", {}, odd),
};

describe("an unknown key", () => {
  it.each(Object.entries({ ...probes, ...inline }))("is refused: %s", async (_name, probe) => {
    const message = await (async () => probe())().then(
      () => "accepted",
      (error: unknown) => (error as Error).message,
    );
    expect(message).toContain("zzzKey");
  });

  it.each(Object.entries(requests))("is refused: %s", async (_name, probe) => {
    expect((await probe()).error?.message).toContain("zzzKey");
  });

  /** Objects that Tenon makes and hands out, that tools hand to their ports, or that a provider answers with. */
  const handedOut = new Set(
    (
      "ToolErrorOptions PolicyCall CompletionRequest UpstreamCall UndoTarget HookCall AskingRequest ApprovalRequest WriteOptions " +
      "WalkOptions ToolsetEntry ToolRequest TenonConfig HttpRequest HostSessionOptions HostCall GrepQuery DirectoryEntry " +
      "CommandRequest CodeQuery QuotaCall"
    ).split(" "),
  );

  it("is tried with every type of options in the public surface", () => {
    const surface = readFileSync(join(import.meta.dirname, "surface/tenon.d.ts.txt"), "utf8");
    const ending =
      "Options|Query|Filter|Selector|Request|Config|Settings|Limits|Definition|Spec|Call|Target|Entry";
    const named = surface.matchAll(
      new RegExp(`: (?:Readonly<)?([A-Z]\\w*(?:${ending}))(?: \\| undefined)?[,)]`, "g"),
    );
    const types = new Set([...named].map(([, name = ""]) => name));
    expect([...types].filter((name) => !(name in probes) && !handedOut.has(name))).toEqual([]);
    expect(types.size).toBeGreaterThan(40);
  });
});
