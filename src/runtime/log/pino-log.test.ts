import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { createTenon } from "../create-tenon.js";
import { pinoLog } from "./pino-log.js";

const talk = defineTool({
  name: "talk",
  description: "Log.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ fail: z.boolean().optional() }),
  execute: ({ fail }, { log }) => {
    log.debug("deep", { n: 1 });
    log.warn("careful", { API_KEY: "sk-abcdefghijklmnopqrstuvwx" });
    if (fail === true) throw new Error("broken");
    return {};
  },
});
const quiet = defineTool({ ...talk, name: "quiet" });

const dir = mkdtempSync(join(tmpdir(), "tenon-log-"));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("pinoLog", () => {
  it("writes one JSON object a line, with Tenon's own time and level", () => {
    const lines: string[] = [];
    const sink = pinoLog({ level: "info", destination: { write: (line) => lines.push(line) } });
    sink({ level: "debug", time: 1, message: "no" });
    sink({ level: "warn", time: 2, message: "yes", toolName: "t", nested: { a: [1] } });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: "warn", time: 2, toolName: "t", nested: { a: [1] }, message: "yes" },
    ]);
  });

  it("writes lines for people, in which no text can rewrite the terminal", () => {
    const lines: string[] = [];
    const sink = pinoLog({ pretty: true, destination: { write: (line) => lines.push(line) } });
    sink({ level: "warn", time: 0, message: "a\u001b[2Jb\nc", toolName: "t", n: 1 });
    expect(lines).toEqual(["00:00:00.000  WARN   t  a\u{fffd}[2Jb\u{fffd}c  n=1\n"]);
  });
});

describe("a sink of the program", () => {
  it("gets what tools write, and calls at debug only", async () => {
    for (const [logLevel, expected] of [
      [
        "debug",
        ["debug call requested", "debug call started", "debug deep", "warn careful", "debug call failed"],
      ],
      ["info", ["warn careful"]],
    ] as const) {
      const records: Readonly<Record<string, unknown>>[] = [];
      const tenon = createTenon({
        tools: [talk],
        log: (record) => records.push(record),
        config: { logLevel, database: ":memory:", stateDir: dir },
      });
      const { callId } = await tenon.call(talk, { fail: true });
      await tenon.close();
      const own = records.filter((record) => record["callId"] === callId);
      expect(own.map(({ level, message }) => `${String(level)} ${String(message)}`)).toEqual(expected);
      expect(own.every((record) => record["toolName"] === "talk")).toBe(true);
    }
  });
});

describe("the logging of the configuration", () => {
  it("logs calls and tools into a file, each tool from its own level up", async () => {
    const file = join(dir, "logs", "tenon.log");
    const tenon = createTenon({
      tools: [talk, quiet],
      builtIns: false,
      config: {
        database: ":memory:",
        logging: { file },
        tools: {
          perTool: {
            talk: { monitoring: { logLevel: "debug" } },
            quiet: { monitoring: { logLevel: "error" } },
          },
        },
      },
    });
    const { callId } = await tenon.call({ name: "talk", taskId: "t" });
    await tenon.call({ id: "c2", name: "quiet", arguments: { fail: true } });
    await tenon.close();
    const lines = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ message }) => message !== "tool state changed");
    expect(lines.map(({ toolName, level, message }) => [toolName, level, message])).toEqual([
      ["talk", "debug", "call requested"],
      ["talk", "debug", "call started"],
      ["talk", "debug", "deep"],
      ["talk", "warn", "careful"],
      ["talk", "info", "call completed"],
    ]);
    expect(lines[4]).toMatchObject({ callId, taskId: "t", durationMs: expect.any(Number) as number });
    expect(JSON.stringify(lines)).not.toContain("sk-abcdefghijklmnopqrstuvwx");
  });

  it("counts no calls of a tool whose metrics are off", async () => {
    const tenon = createTenon({
      tools: [talk, quiet],
      builtIns: false,
      config: {
        database: ":memory:",
        tools: { perTool: { quiet: { monitoring: { enableMetrics: false } } } },
      },
    });
    await tenon.callMany([{ name: "talk" }, { name: "quiet" }]);
    expect(tenon.metrics.snapshot().tools.map(({ toolName }) => toolName)).toEqual(["talk"]);
    await tenon.close();
  });
});
