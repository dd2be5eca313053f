import type { Client, Tool as SdkTool } from "@modelcontextprotocol/client";
import type { UpstreamCall } from "../../contract/ports/upstream.js";
import { anyResult } from "./any-result.js";
import { askToOpenUrls, requiredUrlsOf, urlsNotOpened } from "./required-urls.js";
import {
  serverRequests,
  type AnswerServer,
  type LiveClient,
  type ServerRequest,
} from "./server-connection.js";

/** What sending a request needs. */
export interface SendParts {
  readonly live: LiveClient;
  readonly answer?: AnswerServer | undefined;
  /** Whether a person logged in after this failure, so that it can be tried again. */
  readonly login: (error: unknown) => Promise<boolean>;
}

/** The caller's signal is the limit; the SDK's own timer only must not be shorter. */
export const noTimeout = 2 ** 31 - 1;
/** Rounds of questions that one request may take. */
const maxRounds = 16;

/** A request of a caller. */
export interface Sending {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly call: UpstreamCall;
  readonly definition?: SdkTool | undefined;
}

/** Send, and as long as the server wants to know something first, answer and send again. */
export async function sendRequest(
  parts: SendParts,
  sending: Sending,
): Promise<Readonly<Record<string, unknown>>> {
  const { call } = sending;
  let { params } = sending;
  for (let round = 0; round < maxRounds; round++) {
    const asked = { ...sending, params };
    let result;
    try {
      result = await sendOnce(parts.live, asked);
    } catch (error) {
      const send = afterFailure(error, () => sendOnce(parts.live, asked));
      result = await withVisits(parts, send, call);
    }
    if (result["resultType"] !== "input_required") return complete(result, parts.live);
    const { requestState } = result;
    const inputResponses = await answerAll(parts, result["inputRequests"], call);
    params = { ...sending.params, inputResponses, ...(requestState !== undefined && { requestState }) };
  }
  throw new Error(`the server asked for more input ${maxRounds} times and never answered`);
}

/** Work whose first try has failed already. */
function afterFailure<T>(error: unknown, work: () => Promise<T>): () => Promise<T> {
  let isFirst = true;
  return async () => {
    if (!isFirst) return work();
    isFirst = false;
    throw error;
  };
}

/** A kind of result that was not requested, such as a task, is not an answer. */
function complete(
  result: Readonly<Record<string, unknown>>,
  { client }: LiveClient,
): Readonly<Record<string, unknown>> {
  const { resultType = "complete" } = result;
  if (resultType === "complete" || client.getProtocolEra() !== "modern") return result;
  throw new Error(`the server answered with a result of the unknown type ${JSON.stringify(resultType)}`);
}

/** A server may want the person to open an address first; once they agreed it is asked again. */
async function withVisits<T>(parts: SendParts, work: () => Promise<T>, call: UpstreamCall): Promise<T> {
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
export async function withLogin<T>(
  { login }: SendParts,
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

/** Send a request as it is. */
export function sendOnce(live: LiveClient, sending: Sending): Promise<Readonly<Record<string, unknown>>> {
  const { method, params, call } = sending;
  if (live.direct !== undefined) return live.direct.request(method, params, call);
  if (call.onProgress === undefined) return sendBySdk(live, sending);
  return sendReporting(live, sending, call.onProgress);
}

async function sendReporting(
  live: LiveClient,
  sending: Sending,
  onProgress: NonNullable<UpstreamCall["onProgress"]>,
): Promise<Readonly<Record<string, unknown>>> {
  const { params } = sending;
  const progressToken = live.progress.add(onProgress);
  const _meta = { ...(params["_meta"] as object | undefined), progressToken };
  try {
    return await sendBySdk(live, { ...sending, params: { ...params, _meta } });
  } finally {
    live.progress.remove(progressToken);
  }
}

function sendBySdk(
  { client, http }: LiveClient,
  { method, params, call, definition }: Sending,
): Promise<Readonly<Record<string, unknown>>> {
  const options = { signal: call.signal, timeout: noTimeout, allowInputRequired: true };
  if (method === "tools/call" && http && definition !== undefined) {
    const asked = params as { name: string; arguments: Record<string, unknown> };
    return unjudged(client).callTool(asked, { ...options, toolDefinition: definition });
  }
  return client.request({ method, params: { ...params } }, anyResult, options);
}

/** The same client, whose `callTool` mirrors arguments into headers but leaves the result as it is. */
function unjudged(client: Client): Client {
  const request = (asked: Parameters<Client["request"]>[0], options: object): Promise<unknown> =>
    client.request(asked, anyResult, options);
  return Object.create(client, { request: { value: request } }) as Client;
}

/** Questions that a server may ask at once. */
const maxAtOnce = 16;

async function answerAll(
  { answer }: SendParts,
  requests: unknown,
  call: UpstreamCall,
): Promise<Readonly<Record<string, unknown>>> {
  const asked = Object.entries((requests ?? {}) as Readonly<Record<string, Partial<ServerRequest>>>);
  if (asked.length > maxAtOnce) throw new Error(`the server asks ${asked.length} things at once`);
  const answers = asked.map(async ([key, { method, params }]): Promise<[string, unknown]> => {
    if (answer === undefined || !(serverRequests as readonly unknown[]).includes(method)) {
      throw new Error(`the server asks for ${String(method)}, which nobody here can answer`);
    }
    const request = { method: method as ServerRequest["method"], params, signal: call.signal, key };
    return [key, await answer(request, [call])];
  });
  return Object.fromEntries(await Promise.all(answers));
}

const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const logLevelKey = "io.modelcontextprotocol/logLevel";

/** What goes with each call: in the era of 2026 also what its caller can be asked and wants to hear. */
export function createMeta({
  client,
}: LiveClient): (call: UpstreamCall) => Readonly<Record<string, unknown>> | undefined {
  if (client.getProtocolEra() !== "modern") return ({ meta }) => meta;
  return ({ meta, capabilities = {}, logLevel }) => ({
    ...meta,
    [capabilitiesKey]: capabilities,
    ...(logLevel !== undefined && { [logLevelKey]: logLevel }),
  });
}
