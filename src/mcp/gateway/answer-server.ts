import { isRecord } from "../../contract/is-record.js";
import { messageOf } from "../../contract/message-of.js";
import type { ClientConnection, ElicitAnswer } from "../../contract/ports/client.js";
import type { UpstreamCall } from "../../contract/ports/upstream.js";
import { toVisibleText } from "../../text/visible-text.js";
import type { AnswerServer, ServerRequest } from "../client/server-connection.js";
import { capabilitiesOf, type Caller, type Capabilities } from "./caller.js";
import { askForm } from "./form-questions.js";

export interface AnswerOptions {
  readonly server: string;
  /** For whom a call of the server is made. */
  readonly callerOf: (call: UpstreamCall) => Caller | undefined;
  readonly onFault: (message: string) => void;
}

type Answer = Readonly<Record<string, unknown>>;

/** What one call may ask: a question stops the call's clock, so that nothing else would end an endless one. */
const mostRequests = 100;

/** The key under which a host of 2026-07-28 finds the question, where its server named it. */
const inputKey = "tenon/inputKey";

/** Answer what a server asks, by the host or the person of the session whose call it belongs to. */
export function createAnswerer(options: AnswerOptions): AnswerServer {
  const asked = new WeakMap<UpstreamCall, number>();
  return async (request, calls) => {
    const call = whose(calls, options);
    const caller = typeof call === "string" ? undefined : options.callerOf(call);
    if (typeof call === "string" || caller === undefined) {
      const why = typeof call === "string" ? call : "no call of it is running";
      return refuse(request, why, options);
    }
    const count = (asked.get(call) ?? 0) + 1;
    asked.set(call, count);
    if (count > mostRequests)
      return refuse(request, `one call asked more than ${mostRequests} times`, options);
    if (caller.client === undefined) return askPerson(request, caller, options);
    if (!canAnswer(request, capabilitiesOf(caller)))
      return refuse(request, "the host of this session did not declare that it can answer it", options);
    return askHost(request, caller.client, options);
  };
}

/** The call of the one session that the request can belong to, or why there is none: the wrong person must not be asked. */
function whose(calls: readonly UpstreamCall[], { callerOf }: AnswerOptions): UpstreamCall | string {
  const known = calls.filter((call) => callerOf(call) !== undefined);
  const last = known.at(-1);
  if (last === undefined) return "no call of it is running";
  const sessions = new Set(known.map((call) => callerOf(call)?.sessionId));
  return sessions.size === 1 ? last : "calls of several sessions are running";
}

function refuse({ method }: ServerRequest, why: string, { onFault }: AnswerOptions): Answer {
  onFault(`it sent ${method}, but ${why}; it was refused`);
  if (method === "elicitation/create") return { action: "decline" };
  throw Object.assign(new Error(`${method} was refused: ${why}.`), { code: -32601 });
}

/** Whether the host said that it answers such a request: nobody else is asked in its place. */
function canAnswer(
  { method, params }: ServerRequest,
  { elicitation, sampling, roots }: Capabilities,
): boolean {
  if (method === "roots/list") return roots !== undefined;
  if (method === "sampling/createMessage")
    return isRecord(sampling) && (params["tools"] === undefined || sampling["tools"] !== undefined);
  if (!isRecord(elicitation)) return false;
  // The revisions before 2025-11-25 knew forms only, and said so with an empty object.
  const { form, url } = elicitation;
  return params["mode"] === "url" ? url !== undefined : form !== undefined || url === undefined;
}

/** The host's own answer, unchanged. */
async function askHost(
  request: ServerRequest,
  client: ClientConnection,
  options: AnswerOptions,
): Promise<Answer> {
  const { method, signal, key } = request;
  const params = method === "elicitation/create" ? framed(request.params, options) : request.params;
  const named = key === undefined ? params : withKey(params, key);
  if (client.request !== undefined) return client.request(method, named, signal);
  if (method === "elicitation/create") return { ...(await client.elicit(named, signal)) };
  if (method === "sampling/createMessage") return client.sample(named, signal);
  return refuse(request, "the host of this session cannot answer it", options);
}

/** A person must see who asks, and nothing that is invisible. */
function framed(params: Answer, { server }: AnswerOptions): Answer {
  const said = typeof params["message"] === "string" ? params["message"] : "";
  return { ...params, message: `The MCP server "${server}" asks: ${toVisibleText(said)}` };
}

function withKey(params: Answer, key: string): Answer {
  const meta = params["_meta"];
  return { ...params, _meta: { ...(typeof meta === "object" && meta), [inputKey]: key } };
}

async function askPerson(request: ServerRequest, caller: Caller, options: AnswerOptions): Promise<Answer> {
  const { interact } = caller;
  if (request.method !== "elicitation/create" || interact === undefined)
    return refuse(request, "nobody in this session can answer it", options);
  const params = framed(request.params, options);
  const message = String(params["message"]);
  const { signal } = request;
  try {
    if (params["mode"] !== "url")
      return { ...(await askForm(message, params["requestedSchema"], { interact, signal })) };
    const url = typeof params["url"] === "string" ? params["url"] : "";
    const question = `${message}\nOpen ${toVisibleText(url)} and confirm when you are done.`;
    const { approved } = await interact.ask({ kind: "confirm", message: question }, signal);
    return { action: approved === true ? "accept" : "decline" } satisfies ElicitAnswer;
  } catch (error) {
    signal.throwIfAborted();
    options.onFault(`it asked the person something, but nobody could be asked: ${messageOf(error)}`);
    return { action: "decline" };
  }
}
