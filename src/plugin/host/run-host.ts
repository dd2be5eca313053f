import { isRecord } from "../../contract/is-record.js";
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
  type CallAnswer,
  type CallMeta,
} from "../protocol.js";
import type { AcceptTool, CheckedPlugin } from "../check-plugin.js";
import { openPlugin, type OpenedPlugin } from "./open-plugin.js";
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
    throw new RequestError(rpcErrors.invalidParams, "No plugin was specified.");
  return { file, root: cwd, label: file, workspace: cwd, options: {}, timeoutMs: 15_000 };
}

/** The tools of a plugin as any MCP client sees them. */
function listForMcp({ tools }: CheckedPlugin): readonly Readonly<Record<string, unknown>>[] {
  return tools.map(({ tool, input, output }) => {
    const { title, readOnly, dangerous, idempotent, openWorld } = tool.annotations ?? {};
    return {
      name: tool.name,
      ...(title !== undefined && { title }),
      description: tool.description,
      inputSchema: input.jsonSchema,
      ...(output?.jsonSchema["type"] === "object" && { outputSchema: output.jsonSchema }),
      annotations: {
        readOnlyHint: readOnly ?? false,
        destructiveHint: dangerous ?? readOnly !== true,
        idempotentHint: idempotent ?? false,
        openWorldHint: openWorld ?? false,
      },
    };
  });
}

/** A `tools/call` of any MCP client other than Tenon. */
async function callForMcp(
  opened: OpenedPlugin,
  params: { readonly name: string; readonly arguments?: unknown },
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  return toMcp(await opened.call(params.name, params.arguments, plainMeta, signal));
}

const plainMeta: CallMeta = { key: "mcp", callId: "mcp", sessionId: "mcp", agent: "mcp", settings: {} };

function toMcp({ answer, rendered }: CallAnswer): Readonly<Record<string, unknown>> {
  if (!answer.ok) {
    const { code, message } = answer.error;
    return { content: [{ type: "text", text: `${code}: ${message}` }], isError: true };
  }
  const { value } = answer;
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const content = typeof rendered === "object" ? rendered : [{ type: "text", text: rendered ?? text }];
  const structured = isRecord(value);
  return { content, ...(structured && { structuredContent: value }) };
}
