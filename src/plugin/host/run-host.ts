import { isPath } from "../find-plugin.js";
import { toWireError } from "../wire-error.js";
import {
  methods,
  type Answer,
  type AskToolParams,
  type HookParams,
  type OpenParams,
  type ServeParams,
} from "../wire.js";
import type { AcceptTool } from "../check-plugin.js";
import { openPlugin, type OpenedPlugin } from "./open-plugin.js";
import { RequestError, servePeer } from "./stdio-peer.js";
import { callForMcp, listForMcp } from "./plain-mcp.js";
import { createWishes } from "./wishes.js";

export interface HostParts {
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
export function runHost(parts: HostParts): void {
  const wishes = createWishes();
  let opening: Promise<OpenedPlugin> | undefined;
  const open = (params: OpenParams): Promise<OpenedPlugin> =>
    (opening ??= openPlugin(params, { ...parts, wishes }));
  const opened = (): Promise<OpenedPlugin> => opening ?? open(paramsFor(parts));

  const handlers: Readonly<Record<string, (params: never, signal: AbortSignal) => unknown>> = {
    initialize: ({ protocolVersion }: { protocolVersion?: unknown }) => ({
      protocolVersion: revisions.find((known) => known === protocolVersion) ?? revisions[0],
      capabilities: { tools: {} },
      serverInfo: { name: "tenon-plugin", version: parts.version },
    }),
    ping: () => ({}),
    "tools/list": async () => ({ tools: listForMcp((await opened()).plugin) }),
    "tools/call": async (params: Parameters<typeof callForMcp>[1], signal) =>
      callForMcp(await opened(), params, signal),
    [methods.open]: (params: OpenParams) => answered(async () => (await open(params)).manifest),
    [methods.tool]: (params: AskToolParams, signal) =>
      answered(async () => (await opened()).askTool(params, signal)),
    [methods.hook]: (params: HookParams, signal) =>
      answered(async () => (await opened()).hook(params, signal)),
    [methods.cancel]: async ({ key }: { key: string }) => (await opened()).cancel(key),
    [methods.serve]: (params: ServeParams, signal) => wishes.serve(params, signal),
    [methods.close]: () => answered(async () => (await opening)?.close()),
  };

  servePeer({
    stdin: parts.stdin,
    write: parts.write,
    onEnd: parts.exit,
    handle(method, params, signal) {
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (handler === undefined) throw new RequestError(-32_601, `no method ${method}`);
      return handler(params as never, signal);
    },
  });
}

async function answered(work: () => Promise<unknown>): Promise<Answer> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: toWireError(error) };
  }
}

function paramsFor({ file, cwd }: HostParts): OpenParams {
  if (file === undefined || !isPath(file)) throw new RequestError(-32_602, "no plugin was named");
  return { file, root: cwd, label: file, workspace: cwd, options: {}, timeoutMs: 15_000 };
}
