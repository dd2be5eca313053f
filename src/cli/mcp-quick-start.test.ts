import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import type { McpStart } from "../mcp/server/ready-answers.js";
import { startQuickly } from "./mcp-quick-start.js";

const dir = mkdtempSync(join(tmpdir(), "tenon-quick-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const frames = {
  version: "1.0.0",
  protocols: ["2025-11-25", "2024-11-05"],
  initialize: { serverInfo: {} },
  discover: { found: true },
  modern: { resultType: "complete" },
};
writeFileSync(join(dir, "mcp-catalogue.txt"), `${JSON.stringify(frames)}\n[{"name":"one"}]\n`);

const marks = (more: object = {}) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  ...more,
});
const hello = (more: object = {}) => ({
  protocolVersion: "2025-11-25",
  capabilities: { roots: { listChanged: true }, elicitation: { form: {} } },
  clientInfo: { name: "host", version: "1" },
  ...more,
});
const ask = (id: number, method: string, params?: object, more: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params !== undefined && { params }),
  ...more,
});

/** Who was answered before anything was loaded, and what is left for the server. */
async function start(...messages: readonly object[]) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const loading = new Promise<McpStart>((load) => {
    const process = {
      argv: ["node", "tenon", "mcp"],
      env: { XDG_CONFIG_HOME: dir, TENON_STATE_DIR: dir },
      stdin: stdin as unknown as NodeJS.ReadStream,
      stdout: stdout as unknown as NodeJS.WriteStream,
      cwd: () => dir,
    };
    expect(startQuickly(process, dir, load)).toBe(true);
  });
  for (const message of messages) stdin.write(`${JSON.stringify(message)}\n`);
  const { dispatch } = await loading;
  const left: unknown[] = [];
  Object.assign(dispatch, { onmessage: ({ id }: { id: unknown }) => left.push(id) });
  await dispatch.start();
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const text = (stdout.read() as Buffer | null)?.toString() ?? "";
  const said = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as { id: number }]));
  dispatch.transport.close();
  return { said, answered: said.flat().map(({ id }) => id), left };
}

describe("the quick start", () => {
  it("answers a greeting, the first list and pings, and the server hears of the greeting", async () => {
    const { said, answered, left } = await start(
      ask(1, "initialize", hello()),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      [ask(2, "ping"), ask(3, "tools/list", {})],
      ask(4, "tools/call", { name: "one" }),
    );
    expect(answered).toEqual([1, 2, 3]);
    expect(said[1]).toMatchObject([{ id: 2 }, { id: 3, result: { tools: [{ name: "one" }] } }]);
    expect(left).toEqual([expect.stringMatching(/^tenon:/), undefined, 4]);
  });

  it.each([
    ["no version", ask(1, "initialize", hello({ protocolVersion: 5 }))],
    ["capabilities that are none", ask(1, "initialize", hello({ capabilities: { roots: 5 } }))],
    ["a capability that is none", ask(1, "initialize", hello({ capabilities: { sampling: { tools: 1 } } }))],
    ["a name that is none", ask(1, "initialize", hello({ clientInfo: { name: "t", version: 1 } }))],
    ["more about itself", ask(1, "initialize", hello({ clientInfo: { name: "", version: "", icons: 1 } }))],
    ["a member too many", ask(1, "initialize", hello(), { extra: 1 })],
    ["odd marks", ask(1, "initialize", hello({ _meta: 5 }))],
    ["an odd token", ask(1, "initialize", hello({ _meta: { progressToken: 1.5 } }))],
    ["no greeting at all", ask(1, "tools/list")],
    [
      "a name of 2026 that is none",
      ask(1, "server/discover", { _meta: marks({ "io.modelcontextprotocol/clientInfo": 5 }) }),
    ],
    [
      "a mark of 2026 that is not known",
      ask(1, "tools/list", { _meta: marks({ "io.modelcontextprotocol/logLevel": "x" }) }),
    ],
  ])("leaves to the server what it would refuse, or might: %s", async (_, message) => {
    expect(await start(message)).toMatchObject({ answered: [], left: [1] });
  });

  it("settles the revision as the server would", async () => {
    const looked = await start(ask(1, "server/discover", { _meta: marks() }), ask(2, "initialize", hello()));
    expect(looked.answered).toEqual([1, 2]);
    const settled = await start(ask(1, "tools/list", { _meta: marks() }), ask(2, "initialize", hello()));
    expect(settled).toMatchObject({ answered: [1], left: [expect.stringMatching(/^tenon:/), 2] });
  });
});
