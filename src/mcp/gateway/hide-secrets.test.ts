import { expect, it } from "vitest";
import type { ToolProgress } from "../../contract/tool.js";
import type { UpstreamCall } from "../../contract/ports/upstream.js";
import type { ServerConnection } from "../client/server-connection.js";
import type { ServerOptions } from "../client/server-options.js";
import { callerOf, CallForCaller } from "./caller.js";
import { hidingOpen } from "./hide-secrets.js";

const { signal } = new AbortController();
const hide = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("s3cret", "***")) as T;

it("hides secrets in everything that a server can say, and keeps for whom its calls are made", async () => {
  let events: Partial<ServerOptions> = {};
  const heard: unknown[] = [];
  const known: (readonly UpstreamCall[])[] = [];
  const inner: Partial<ServerConnection> = {
    get pid() {
      return 7;
    },
    send: async (_method, _params, call) => {
      call.onProgress?.({ message: "at s3cret" });
      events.onNotice?.("notifications/message", { data: "s3cret" }, [call]);
      await events.answer?.(
        { method: "sampling/createMessage", params: { systemPrompt: "s3cret" }, signal },
        [call],
      );
      return { text: "s3cret" };
    },
    callTool: () => Promise.reject(Object.assign(new Error("no s3cret"), { code: -1, data: ["s3cret"] })),
    listTools: async () => [{ name: "t", description: "s3cret", inputSchema: {} }],
    list: async () => [{ uri: "s3cret:1" }],
    request: async () => ({ s3cret: 1 }),
  };
  const open = hidingOpen(async (_server, _spec, options) => {
    events = options;
    return inner as ServerConnection;
  }, hide);
  const connection = await open(
    "srv",
    { kind: "address", url: "http://localhost/" },
    {
      timeoutMs: 1,
      onNotice: (_method, params, calls) => void (heard.push(params), known.push(calls)),
      answer: async ({ params }, calls) => (heard.push(params), known.push(calls), {}),
      onLog: (line) => heard.push(line),
      onFault: (message) => heard.push(message),
      onLost: (reason) => heard.push(reason),
    },
  );
  const call = new CallForCaller({ sessionId: "s" }, { signal }, (report: ToolProgress) =>
    heard.push(report),
  );
  heard.push(await connection.send("prompts/get", {}, call));
  heard.push(await connection.listTools(), await connection.list("resources/list"));
  heard.push(await connection.request("ping", {}));
  for (const tell of [events.onLog, events.onFault, events.onLost]) tell?.("s3cret");
  await expect(connection.callTool("t", {}, call)).rejects.toMatchObject({
    message: "no ***",
    code: -1,
    data: ["***"],
  });
  expect(JSON.stringify(heard)).not.toContain("s3cret");
  expect(heard).toHaveLength(10);
  expect(known.flat().map((one) => [callerOf(one)?.sessionId, one.signal])).toEqual([
    ["s", signal],
    ["s", signal],
  ]);
  expect(connection.pid).toBe(7);
});
