import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { createMcpHost, createTenon, defineTool, serveStdio, type ServeStdioOptions } from "../src/index.js";
import { createLineHost } from "./mcp-fixture.js";

const greet = defineTool({
  name: "greet",
  description: "Greet someone.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ who: z.string() }),
  execute: ({ who }) => `Hello, ${who}`,
});

const tenon = createTenon({ builtIns: false, tools: [greet], config: { database: ":memory:" } });
afterEach(() => tenon.close());

function connect(served: Parameters<typeof serveStdio>[0], options: ServeStdioOptions = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const done = serveStdio(served, { input, output, ...options });
  return { line: createLineHost(input, output, done), done };
}

describe("serveStdio", () => {
  it("serves a Tenon or a host of it to a program, until that is gone or the signal fires", async () => {
    const { line } = connect(tenon, { agent: "helper" });
    const { result } = await line.initialize();
    expect(result?.["serverInfo"]).toMatchObject({ name: "tenon" });
    const answer = await line.request("tools/call", { name: "greet", arguments: { who: "Ada" } });
    expect(JSON.stringify(answer.result)).toContain("Hello, Ada");
    await line.end();

    const stop = new AbortController();
    const host = createMcpHost(tenon, { name: "greeter", version: "2.0.0" });
    const other = connect(host, { signal: stop.signal, exclude: ["greet"] });
    expect((await other.line.initialize()).result?.["serverInfo"]).toMatchObject({
      name: "greeter",
      version: "2.0.0",
    });
    expect(await other.line.list("tools/list", "tools")).toEqual([]);
    stop.abort();
    await other.done;
  });

  it("refuses options that it does not know", async () => {
    await expect(serveStdio(tenon, { toolSet: "coding" } as never)).rejects.toThrow(
      /Unknown option "toolSet"/,
    );
    expect(() => createMcpHost(tenon, { versoin: "1" } as never)).toThrow(/Unknown option "versoin"/);
  });
});
