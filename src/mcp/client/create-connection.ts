import type { Progress, Tool as SdkTool } from "@modelcontextprotocol/client";
import { ToolCancelledError } from "../../contract/errors.js";
import type { UpstreamCall, UpstreamResult, UpstreamTool } from "../../contract/ports/upstream.js";
import { anyResult } from "./any-result.js";
import { listPages } from "./list-pages.js";
import { readContent } from "./read-content.js";
import { readTool } from "./read-tool.js";
import { askToOpenUrls, requiredUrlsOf, urlsNotOpened } from "./required-urls.js";
import type { AnswerServer, LiveClient, ServerConnection, ServerRequest } from "./server-connection.js";

export interface ConnectionParts {
  readonly live: LiveClient;
  /** Calls that run: requests of a server of the older era are related to one of these. */
  readonly calls: Set<UpstreamCall>;
  readonly answer?: AnswerServer | undefined;
  readonly onFault: (message: string) => void;
  readonly close: () => Promise<void>;
  /** Whether a person logged in after this failure, so that it can be tried again. */
  readonly login: (error: unknown) => Promise<boolean>;
}

/** The caller's signal is the limit; the SDK's own timer only must not be shorter. */
const noTimeout = 2 ** 31 - 1;
/** Rounds of questions that one request may take. */
const mostRounds = 16;

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

  const send: ServerConnection["send"] = async (method, params, call) => {
    calls.add(call);
    try {
      return await sendWithAnswers(parts, { method, params, call, definition: known.get(nameIn(params)) });
    } catch (error) {
      if (call.signal.aborted) throw reasonOf(call.signal);
      throw named(error, live);
    } finally {
      calls.delete(call);
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

  const listMirrored = async (signal?: AbortSignal): Promise<readonly unknown[]> => {
    const options = {
      cacheMode: "refresh" as const,
      timeout: noTimeout,
      ...(signal !== undefined && { signal }),
    };
    try {
      return (await withLogin(parts, () => client.listTools(undefined, options), signal)).tools;
    } catch (error) {
      if (signal?.aborted === true) throw reasonOf(signal);
      // One bad entry spoils the SDK's whole listing; here each is judged for itself.
      parts.onFault(
        `its listing breaks the protocol: ${error instanceof Error ? error.message : String(error)}`,
      );
      return list("tools/list", signal);
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
    instructions: typeof instructions === "string" ? instructions : undefined,
    offers: {
      tools: capabilities?.tools !== undefined,
      resources: capabilities?.resources !== undefined,
      prompts: capabilities?.prompts !== undefined,
    },
    send,
    list,
    async listTools(signal) {
      const tools = (await (mirrors ? listMirrored(signal) : list("tools/list", signal))).map(readTool);
      known.clear();
      // Only where the protocol mirrors arguments into headers is the definition needed again.
      if (mirrors) for (const tool of tools) known.set(tool.name, mirrored(tool));
      return tools;
    },
    async callTool(name, args, call) {
      const params = { name, arguments: args ?? {}, ...(call.meta !== undefined && { _meta: call.meta }) };
      return toResult(await send("tools/call", params, call));
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

interface Sending {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly call: UpstreamCall;
  readonly definition?: SdkTool | undefined;
}

/** Send, and as long as the server wants to know something first, answer and send again. */
async function sendWithAnswers(
  parts: ConnectionParts,
  sending: Sending,
): Promise<Readonly<Record<string, unknown>>> {
  const { call } = sending;
  let { params } = sending;
  for (let round = 0; round < mostRounds; round++) {
    const asked = { ...sending, params };
    const result = await withVisits(parts, () => sendOnce(parts.live, asked), call);
    if (result["resultType"] !== "input_required") return result;
    const { requestState } = result;
    const inputResponses = await answerAll(parts, result["inputRequests"], call);
    params = { ...sending.params, inputResponses, ...(requestState !== undefined && { requestState }) };
  }
  throw new Error(`the server asked for more input ${mostRounds} times and never answered`);
}

/** A server may want the person to open an address first; once they agreed it is asked again. */
async function withVisits<T>(parts: ConnectionParts, work: () => Promise<T>, call: UpstreamCall): Promise<T> {
  const { answer } = parts;
  for (let asked = false; ; asked = true) {
    try {
      return await withLogin(parts, work, call.signal);
    } catch (error) {
      const visits = requiredUrlsOf(error);
      if (visits.length === 0) throw error;
      if (asked || answer === undefined || !(await askToOpenUrls(visits, answer, call)))
        throw urlsNotOpened(visits, error);
    }
  }
}

/** A server may want a login, or a wider one, at any time. */
async function withLogin<T>(
  { login }: ConnectionParts,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let logins = 0; ; logins++) {
    try {
      return await work();
    } catch (error) {
      if (logins >= 2 || signal?.aborted === true || !(await login(error))) throw error;
    }
  }
}

function sendOnce(
  { client, http, direct }: LiveClient,
  sending: Sending,
): Promise<Readonly<Record<string, unknown>>> {
  const { method, params, call, definition } = sending;
  if (direct !== undefined) return direct.request(method, params, call);
  const { onProgress } = call;
  const options = {
    signal: call.signal,
    timeout: noTimeout,
    allowInputRequired: true,
    ...(onProgress !== undefined && {
      onprogress: ({ progress, total, message }: Progress) =>
        onProgress({
          progress,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message }),
        }),
    }),
  };
  if (method === "tools/call" && http && definition !== undefined) {
    const asked = params as { name: string; arguments: Record<string, unknown> };
    return client.callTool(asked, { ...options, toolDefinition: definition });
  }
  return client.request({ method, params: { ...params } }, anyResult, options);
}

async function answerAll(
  { answer }: ConnectionParts,
  requests: unknown,
  call: UpstreamCall,
): Promise<Readonly<Record<string, unknown>>> {
  const asked = Object.entries((requests ?? {}) as Readonly<Record<string, Partial<ServerRequest>>>);
  const answers: [string, unknown][] = [];
  for (const [key, { method, params = {} }] of asked) {
    if (answer === undefined || (method !== "elicitation/create" && method !== "sampling/createMessage")) {
      throw new Error(`the server asks for ${String(method)}, which nobody here can give`);
    }
    answers.push([key, await answer({ method, params, signal: call.signal }, [call])]);
  }
  return Object.fromEntries(answers);
}

function toResult(result: Readonly<Record<string, unknown>>): UpstreamResult {
  const { structuredContent, isError, _meta: meta } = result;
  return {
    content: readContent(result["content"]),
    ...(structuredContent !== undefined && { structured: structuredContent }),
    isError: isError === true,
    ...(typeof meta === "object" && meta !== null && { meta: meta as Readonly<Record<string, unknown>> }),
  };
}

/** Without its output schema: results are checked by Tenon, with patterns that cannot run away. */
function mirrored({ name, inputSchema }: UpstreamTool): SdkTool {
  return { name, inputSchema: inputSchema as SdkTool["inputSchema"] };
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
