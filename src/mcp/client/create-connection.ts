import type { Tool as SdkTool } from "@modelcontextprotocol/client";
import { ToolCancelledError } from "../../contract/errors.js";
import type { UpstreamCall, UpstreamResult, UpstreamTool } from "../../contract/ports/upstream.js";
import { isRecord } from "../../contract/is-record.js";
import { logLevels } from "../log-levels.js";
import { anyResult } from "./any-result.js";
import { listPages } from "./list-pages.js";
import { ownFields, smallFields } from "./own-fields.js";
import { readContent } from "./read-content.js";
import { readTool } from "./read-tool.js";
import { createMeta, noTimeout, sendOnce, sendRequest, withLogin, type SendParts } from "./send-request.js";
import type { LiveClient, ServerConnection } from "./server-connection.js";
import type { Watching } from "./watch-resources.js";

export interface ConnectionParts extends SendParts {
  /** Calls that run: requests of a server of the older era are related to one of these. */
  readonly calls: UpstreamCall[];
  readonly onFault: (message: string) => void;
  readonly close: () => Promise<void>;
  readonly watching: Watching;
  readonly probed: boolean;
}

/** Make the connection that the rest of Tenon sees out of the SDK's client. */
export function createConnection(parts: ConnectionParts): ServerConnection {
  const { live, calls } = parts;
  const { client } = live;
  const known = new Map<string, SdkTool>();
  // Over HTTP the newer era mirrors arguments into headers; tools that ask for it wrongly must be left out.
  const mirrors = client.getProtocolEra() === "modern" && live.http;
  const info = client.getServerVersion();
  const capabilities = client.getServerCapabilities();
  const instructions = client.getInstructions();

  const metaOf = createMeta(live);
  const setLogLevel = createLogLevel(parts);
  const send: ServerConnection["send"] = async (method, params, call) => {
    calls.push(call);
    try {
      const telling = setLogLevel(call.logLevel);
      if (telling !== undefined) await telling;
      const _meta = metaOf(call);
      const asked = withExtras(params, call);
      const whole = _meta === undefined ? asked : { ...asked, _meta };
      const definition = known.get(nameIn(params));
      return await sendRequest(parts, { method, params: whole, call, definition });
    } catch (error) {
      if (call.signal.aborted) throw reasonOf(call.signal);
      throw named(error, live);
    } finally {
      calls.splice(calls.indexOf(call), 1);
    }
  };
  const list: ServerConnection["list"] = (method, signal) => {
    const key = listKeys[method];
    return listPages(
      async (cursor) => {
        const call: UpstreamCall = { signal: signal ?? new AbortController().signal };
        const asked = { method, params: cursor === undefined ? {} : { cursor }, call };
        const result = await withLogin(parts, () => sendOnce(live, asked), signal);
        const items = result[key];
        return { items: Array.isArray(items) ? items : [], nextCursor: result["nextCursor"] };
      },
      (why) => parts.onFault(`${why}; the rest of ${method} was left out`),
    ).catch((error: unknown) => {
      throw signal?.aborted === true ? reasonOf(signal) : named(error, live);
    });
  };

  /** What the SDK would list: it leaves out tools that ask for headers wrongly. */
  const listMirrored = async (signal?: AbortSignal): Promise<readonly unknown[]> => {
    const all = await list("tools/list", signal);
    if (!JSON.stringify(all).includes("x-mcp-header")) return all;
    const options = {
      cacheMode: "refresh" as const,
      timeout: noTimeout,
      ...(signal !== undefined && { signal }),
    };
    try {
      const { tools } = await withLogin(parts, () => client.listTools(undefined, options), signal);
      const valid = new Set(tools.map(({ name }) => name));
      // The SDK's own copies lack the fields that it does not know.
      return all.filter((tool) => valid.has(nameIn(Object(tool) as Record<string, unknown>)));
    } catch (error) {
      if (signal?.aborted === true) throw reasonOf(signal);
      // One bad entry spoils the SDK's whole listing; here each is judged for itself.
      parts.onFault(
        `its listing breaks the protocol: ${error instanceof Error ? error.message : String(error)}`,
      );
      return all;
    }
  };

  return {
    name: info?.name ?? "unknown",
    version: info?.version ?? "0",
    protocol: client.getNegotiatedProtocolVersion() ?? "unknown",
    get pid() {
      return live.pid();
    },
    verdict: verdictOf(live),
    probed: parts.probed,
    instructions: typeof instructions === "string" ? instructions : undefined,
    offers: {
      tools: capabilities?.tools !== undefined,
      resources: capabilities?.resources !== undefined,
      prompts: capabilities?.prompts !== undefined,
      completions: capabilities?.completions !== undefined,
      logging: capabilities?.logging !== undefined,
      subscriptions: capabilities?.resources?.subscribe === true,
    },
    watch: (uris) => parts.watching.set(uris),
    notify: (method, params) => client.notification({ method, ...(params !== undefined && { params }) }),
    send,
    list,
    async listTools(signal) {
      const tools = (await (mirrors ? listMirrored(signal) : list("tools/list", signal))).map(readTool);
      known.clear();
      // Only where the protocol mirrors arguments into headers is the definition needed again.
      const isMirrored = ({ inputSchema }: UpstreamTool): boolean =>
        mirrors && JSON.stringify(inputSchema).includes("x-mcp-header");
      for (const tool of tools) if (isMirrored(tool)) known.set(tool.name, mirrored(tool));
      return tools;
    },
    async callTool(name, args, call) {
      return toResult(await send("tools/call", { name, arguments: args ?? {} }, call));
    },
    async request(method, params, signal) {
      const none = new AbortController().signal;
      return send(method, params, { signal: signal ?? none });
    },
    close: parts.close,
  };
}

const listKeys = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

function toResult(result: Readonly<Record<string, unknown>>): UpstreamResult {
  const { content, structuredContent, isError, _meta: meta, ...fields } = ownFields(result);
  // What a server says though it need not, and what later revisions may add.
  const more = smallFields(isError === false ? { isError, ...fields } : fields, maxMoreChars);
  return {
    content: readContent(content),
    ...(structuredContent !== undefined && { structured: structuredContent }),
    isError: isError === true,
    ...(isRecord(meta) && { meta }),
    ...(more !== undefined && { more }),
  };
}

const maxMoreChars = 65_536;

/** Without its output schema: results are checked by Tenon, with patterns that cannot run away. */
function mirrored({ name, inputSchema }: UpstreamTool): SdkTool {
  return { name, inputSchema: inputSchema as SdkTool["inputSchema"] };
}

/** A server of 2025 is told once how much its callers want to hear: as much as the most curious of them. */
function createLogLevel({
  live,
  onFault,
}: ConnectionParts): (level: string | undefined) => Promise<unknown> | undefined {
  const { client } = live;
  if (client.getProtocolEra() === "modern" || client.getServerCapabilities()?.logging === undefined)
    return () => undefined;
  let lowest = logLevels.length;
  return (level) => {
    const at = level === undefined ? -1 : logLevels.indexOf(level);
    if (at < 0 || at >= lowest) return undefined;
    lowest = at;
    const request = { method: "logging/setLevel", params: { level } };
    return client.request(request, anyResult, { timeout: 5000 }).catch((error: unknown) => {
      onFault(`it does not accept the log level: ${(error as Error).message}`);
    });
  };
}

/** The metadata of the host's own request is sent too; Tenon's fields win. */
function withExtras(
  params: Readonly<Record<string, unknown>>,
  { extras }: UpstreamCall,
): Readonly<Record<string, unknown>> {
  if (extras === undefined) return params;
  const { arguments: args, ...others } = params;
  const isLeftOut = args === undefined || (extras.bare === true && Object.keys(Object(args)).length === 0);
  return { ...extras.params, ...(isLeftOut ? others : params) };
}

function nameIn(params: Readonly<Record<string, unknown>>): string {
  return typeof params["name"] === "string" ? params["name"] : "";
}

function verdictOf({ client }: LiveClient): ServerConnection["verdict"] {
  const discover = client.getDiscoverResult();
  if (client.getProtocolEra() !== "modern" || discover === undefined) return { kind: "legacy" };
  return { kind: "modern", discover: discover as unknown as Readonly<Record<string, unknown>> };
}

function reasonOf(signal: AbortSignal): unknown {
  return signal.reason instanceof Error ? signal.reason : new ToolCancelledError();
}

/** A connection that closed says why. */
function named(error: unknown, live: LiveClient): unknown {
  const why = live.ended();
  if (
    why === undefined ||
    !(error instanceof Error) ||
    !/connection closed|not connected/i.test(error.message)
  )
    return error;
  return new Error(`the connection was lost: ${why}`, { cause: error });
}
