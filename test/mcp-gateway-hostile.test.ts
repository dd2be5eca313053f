import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineTool } from "../src/contract/define-tool.js";
import type { ServerView } from "../src/mcp/gateway/gateway-types.js";
import { createTenon } from "../src/runtime/create-tenon.js";
import type { Tenon } from "../src/runtime/tenon.js";
import { underLoad } from "./setup/under-load.js";

/** Long enough for the one that gets as far as its list to get there on a busy machine. */
const startLimits: Readonly<Record<string, number>> = { silent: 1500, "hang-at-list": 4000 };
const fixture = join(import.meta.dirname, "fixtures/hostile-server.mjs");
const modes = [
  "good",
  "silent",
  "exit-at-start",
  "exit-at-initialize",
  "exit-at-list",
  "exit-at-probe",
  "hang-at-list",
  "noise",
  "flood-at-start",
  "endless",
  "circle",
  "no-list",
  "many",
  "names",
  "schemas",
  "words",
] as const;

describe("hostile MCP servers, all behind one gateway", () => {
  let folder: string;
  let tenon: Tenon;
  const view = (name: string): ServerView => {
    const found = tenon.mcp.servers().find((server) => server.name === name);
    if (found === undefined) throw new Error(`no server ${name}`);
    return found;
  };
  const call = (name: string, args: object = {}, timeoutMs = 20_000) =>
    tenon.call({ name, arguments: args, timeoutMs });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tenon-hostile-"));
    const server = (mode: string) => ({
      command: process.execPath,
      args: [fixture, mode],
      startTimeoutMs: startLimits[mode] ?? 20_000,
    });
    tenon = createTenon({
      workspace: folder,
      config: {
        stateDir: join(folder, "state"),
        policy: { rules: [{ tool: "*:*", allow: true } as never].slice(1) },
        mcpServers: Object.fromEntries(modes.map((mode) => [mode, server(mode)])),
      },
      tools: [
        defineTool({
          name: "names:taken",
          description: "Was here first.",
          category: "custom",
          input: { type: "object" },
          execute: () => "mine",
        }),
      ],
      interact: { approve: async () => ({ verdict: "once" }) } as never,
    });
    await tenon.ready();
    await tenon.mcp.tryAll(20_000);
  });
  afterAll(async () => {
    await tenon.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("go on side by side: the good one answers while the others hang, crash and flood", async () => {
    expect(await call("good:echo", { text: "hello" })).toSucceed({ result: "hello" });
    expect(await call("current_time")).toSucceed();
  });

  it.each([
    ["silent", /did not answer within 1500 ms/],
    ["exit-at-start", /exit code 2/],
    ["exit-at-initialize", /exit code 3/],
    ["exit-at-list", /exit code 4/],
    ["hang-at-list", /did not list its tools within 4000 ms/],
  ])("shows why %s does not work, and refuses calls to it at once", async (name, why) => {
    expect(view(name).state).toMatch(/failed|connecting/);
    expect(
      view(name)
        .faults.map(({ message }) => message)
        .join("\n"),
    ).toMatch(why);
    const answer = await call(`${name}:echo`);
    expect(answer).toFailWith("SERVER_UNAVAILABLE", { type: "ToolUnavailableError" });
    expect(answer.error?.hint).toMatch(/tried again in|mcp-servers list/);
  });

  it("takes a program that dies of an unknown first word for one of the older era", () => {
    expect(view("exit-at-probe")).toMatchObject({ state: "ready", protocol: "2025-11-25" });
  });

  it("skips noise on standard output, with a fault that shows it", async () => {
    expect(await call("noise:echo", { text: "still" })).toSucceedWith("still");
    expect(
      view("noise")
        .faults.map(({ message }) => message)
        .join(),
    ).toMatch(/not a message: Welcome to my server!/);
  });

  it("reads a flood slowly and says so", async () => {
    expect(
      view("flood-at-start")
        .faults.map(({ message }) => message)
        .join(),
    ).toMatch(/floods/);
  });

  it.each([
    ["endless", /more than 1000 pages/, 1000],
    ["circle", /repeats a page/, 1],
  ])("cuts a listing that never ends (%s)", (name, why, count) => {
    expect(
      view(name)
        .faults.map(({ message }) => message)
        .join(),
    ).toMatch(why);
    expect(view(name).tools.length).toBe(count);
  });

  it("takes a listing that is none for an empty one", () => {
    expect(view("no-list")).toMatchObject({ state: "ready", tools: [] });
  });

  it("takes 5,000 tools", async () => {
    expect(view("many").tools).toHaveLength(5000);
    expect(await call("many:tool_4999", {})).toSucceed();
  });

  it("refuses names that are double, empty, reserved, taken, too long or hide something", () => {
    const { tools, refused } = view("names");
    expect(tools.map(({ name }) => name)).toEqual(["fine"]);
    const reasons = refused.map(({ tool, reason }) => `${tool}: ${reason}`);
    expect(reasons).toEqual([
      expect.stringMatching(/fine: another tool .* same name/),
      expect.stringMatching(/FINE: another tool .* same name/),
      expect.stringMatching(/empty/),
      expect.stringMatching(/__proto__: .*reserved/),
      expect.stringMatching(/\\u\{202e\}.*invisible characters/),
      expect.stringMatching(/\\u\{200b\}.*invisible characters/),
      expect.stringMatching(/longer than/),
      expect.stringMatching(/with space/),
      expect.stringMatching(/empty/),
      expect.stringMatching(/empty/),
      expect.stringMatching(/taken: it would replace the tool "names:taken"/),
    ]);
  });

  it("refuses broken, remote and huge schemas tool by tool, and bounds patterns", async () => {
    const { tools, refused } = view("schemas");
    expect(refused.map(({ tool }) => tool)).toEqual(
      expect.arrayContaining([
        "broken",
        "no_object",
        "text",
        "remote",
        "nowhere",
        "huge",
        "bad_pattern",
        "hidden_key",
        "remote_output",
      ]),
    );
    expect(refused.find(({ tool }) => tool === "remote")?.reason).toMatch(/never fetched/);
    expect(tools.map(({ name }) => name)).toContain("fine");
    const started = performance.now();
    await call("schemas:catastrophic", { a: `${"a".repeat(50_000)}!` });
    expect(performance.now() - started).toBeLessThan(underLoad(5000));
  });

  it("takes hidden characters out of descriptions and flags instructions", () => {
    const [poisoned, plain] = view("words").tools;
    expect(poisoned?.description).not.toMatch(/\p{Cf}/u);
    expect(poisoned?.warnings).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/invisible characters were removed/),
        expect.stringMatching(/secrets/),
        expect.stringMatching(/keep something from the person/),
      ]),
    );
    expect(plain?.warnings).toEqual([]);
  });

  it("refuses an answer that is too long and keeps the connection", async () => {
    const { pid } = view("good");
    const answer = await call("good:big");
    expect(answer.error?.message).toMatch(/more than the 33554432 that are allowed/);
    expect(await call("good:echo", { text: "alive" })).toSucceedWith("alive");
    expect(view("good").pid).toBe(pid);
  });

  it("ignores answers that nobody waits for", async () => {
    expect(await call("good:wrong")).toSucceedWith("yours");
    expect(await call("good:twice")).toSucceedWith("once");
    expect(await call("good:echo", { text: "on" })).toSucceedWith("on");
  });

  it("ends a call that hangs at its time limit and tells the server", async () => {
    const answer = await call("good:hang", {}, 200);
    expect(answer.error).toMatchObject({ type: "ToolTimeoutError" });
    expect(await call("good:echo", { text: "next" })).toSucceedWith("next");
  });

  it("answers while a server floods in the middle of a call", async () => {
    expect(await call("flood-at-start:echo", { text: "through" })).toSucceed();
    expect(await call("good:echo", { text: "others" })).toSucceedWith("others");
  });

  it("restores a server that crashed in a call", async () => {
    const answer = await call("good:crash");
    expect(answer).toFailWith("SERVER_UNAVAILABLE");
    expect(answer.error?.message).toMatch(/exit code 7/);
    const down = await call("good:echo");
    expect(down.error?.hint).toMatch(/tried again in \d/);
    expect((await tenon.health("good:echo")).status).toBe("unhealthy");
    await expect.poll(() => view("good").state).toBe("ready");
    expect(await call("good:echo", { text: "back" })).toSucceedWith("back");
    expect((await tenon.health("good:echo")).status).toBe("healthy");
  });
});
