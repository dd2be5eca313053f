import { rpcErrors } from "../../wire/json-rpc.js";
import { JsonRpcPeer, RequestError } from "../../wire/json-rpc-peer.js";
import { LineReader } from "../../wire/line-reader.js";
import { isPath } from "../find-plugin.js";
import { toWireError } from "../wire-error.js";
import {
  maxMessageBytes,
  methods,
  type Answer,
  type AskToolParams,
  type CallParams,
  type HookParams,
  type OpenParams,
} from "../protocol.js";
import type { AcceptTool } from "../check-plugin.js";
import { openPlugin, type OpenedPlugin } from "./open-plugin.js";
import { callForMcp, listForMcp } from "./plain-mcp.js";
import { ContextRequests } from "./context-requests.js";

export interface HostDeps {
  readonly stdin: NodeJS.ReadableStream;
  readonly write: (line: string) => void;
  readonly accept: AcceptTool;
  /** Where packages are that a plugin need not bring along. */
  readonly packages: Readonly<Record<string, string>>;
  /** The plugin where nobody says so: for other MCP clients. */
  readonly file: string | undefined;
  readonly cwd: string;
  readonly version: string;
  readonly exit: () => void;
}

const revisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** Serve one plugin over MCP until the other side goes away. */
export function runHost(deps: HostDeps): void {
  let opening: Promise<OpenedPlugin> | undefined;
  const open = (params: OpenParams): Promise<OpenedPlugin> =>
    (opening ??= openPlugin(params, { ...deps, requests }));
  const opened = (): Promise<OpenedPlugin> => opening ?? open(paramsFor(deps));

  const handlers: Readonly<Record<string, (params: never, signal: AbortSignal) => unknown>> = {
    initialize: ({ protocolVersion }: { protocolVersion?: unknown }) => ({
      protocolVersion: revisions.find((known) => known === protocolVersion) ?? revisions[0],
      capabilities: { tools: {} },
      serverInfo: { name: "tenon-plugin", version: deps.version },
    }),
    ping: () => ({}),
    "tools/list": async () => ({ tools: listForMcp((await opened()).plugin) }),
    "tools/call": async (params: Parameters<typeof callForMcp>[1], signal) =>
      callForMcp(await opened(), params, signal),
    [methods.call]: async ({ tool, input, meta }: CallParams, signal) =>
      (await opened()).call(tool, input, meta, signal),
    [methods.open]: (params: OpenParams) => answered(async () => (await open(params)).manifest),
    [methods.tool]: (params: AskToolParams, signal) =>
      answered(async () => (await opened()).askTool(params, signal)),
    [methods.hook]: (params: HookParams, signal) =>
      answered(async () => (await opened()).hook(params, signal)),
    [methods.close]: () => answered(async () => (await opening)?.close()),
  };

  const peer = new JsonRpcPeer({
    write: (text) => deps.write(`${text}\n`),
    maxBytes: maxMessageBytes,
    idPrefix: "plugin-",
    onRequest(method, params, signal) {
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (handler === undefined) throw new RequestError(rpcErrors.unknownMethod, `Unknown method: ${method}`);
      return handler(params as never, signal);
    },
    onNotification(method, { key }) {
      if (method === methods.cancel)
        opening?.then(
          (plugin) => plugin.cancel(String(key)),
          () => undefined, // it was not loaded, so no call is running
        );
    },
  });
  const requests = new ContextRequests(peer);
  const reader = new LineReader(Infinity, {
    onLine: (line) => peer.receiveLine(line),
    onTooLong: () => undefined,
  });
  deps.stdin.on("data", (chunk: Buffer) => reader.push(chunk));
  deps.stdin.once("end", deps.exit);
  deps.stdin.once("close", deps.exit);
}

async function answered(work: () => Promise<unknown>): Promise<Answer> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: toWireError(error) };
  }
}

function paramsFor({ file, cwd }: HostDeps): OpenParams {
  if (file === undefined || !isPath(file))
    throw new RequestError(rpcErrors.invalidParams, "No plugin was named.");
  return { file, root: cwd, label: file, workspace: cwd, options: {}, timeoutMs: 15_000 };
}
