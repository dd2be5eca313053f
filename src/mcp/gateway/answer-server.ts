import { isRecord } from "../../contract/is-record.js";
import { messageOf } from "../../contract/message-of.js";
import type { ClientConnection, ElicitAnswer } from "../../contract/ports/client.js";
import type { UpstreamCall } from "../../contract/ports/upstream.js";
import { toVisibleText } from "../../text/visible-text.js";
import type { AnswerServer, ServerRequest } from "../client/server-connection.js";
import { callerOf, capabilitiesOf, type Caller, type Capabilities } from "./caller.js";
import { askForm } from "./form-questions.js";

export interface AnswerOptions {
  readonly server: string;
  /** The only session that the connection can speak for, where no call runs. @default none */
  readonly onlyCaller?: (() => Caller | undefined) | undefined;
  /** The server was told the roots of this session. */
  readonly onRoots?: ((sessionId: string) => void) | undefined;
  readonly onFault: (message: string) => void;
  readonly now: () => number;
}

type Answer = Readonly<Record<string, unknown>>;

/** What one call may ask: a question stops the call's clock, so that nothing else would end an endless one. */
const maxRequests = 100;
/** The same number without a call, in this time. */
const unaskedMs = 60_000;

/** The key under which a host of 2026-07-28 finds the question, where its server named it. */
const inputKey = "tenon/inputKey";
/** Set where the question has no parameters. */
const noParams = "tenon/noParams";

/** Answer what a server asks, by the host or the person of the session whose call it belongs to. */
export function createAnswerer(options: AnswerOptions): AnswerServer {
  const asked = new WeakMap<UpstreamCall, number>();
  const unasked = { since: 0, count: 0 };
  const countFor = (call: UpstreamCall | undefined): number => {
    if (call === undefined) {
      const now = options.now();
      if (now - unasked.since > unaskedMs) Object.assign(unasked, { since: now, count: 0 });
      return ++unasked.count;
    }
    const count = (asked.get(call) ?? 0) + 1;
    asked.set(call, count);
    return count;
  };
  return async (request, calls) => {
    const found = whose(request, calls, options);
    if (typeof found === "string") return refuse(request, found, options);
    const { call, caller } = found;
    if (countFor(call) > maxRequests) {
      const where = call === undefined ? "outside of calls it asked" : "one call asked";
      return refuse(request, `${where} more than ${maxRequests} times`, options);
    }
    if (caller.client === undefined) return askPerson(request, caller, options);
    if (!canAnswer(request, capabilitiesOf(caller)))
      return refuse(request, "the host of this session did not declare that it can answer it", options);
    const answer = askHost(request, caller.client, options);
    if (request.method === "roots/list") options.onRoots?.(caller.sessionId);
    return answer;
  };
}

interface Asked {
  readonly call: UpstreamCall | undefined;
  readonly caller: Caller;
}

/** The one session that the request can belong to, or why there is none: the wrong person must not be asked. */
function whose(
  { method }: ServerRequest,
  calls: readonly UpstreamCall[],
  { onlyCaller }: AnswerOptions,
): Asked | string {
  const known = calls.flatMap((call) => {
    const caller = callerOf(call);
    return caller === undefined ? [] : [{ call, caller }];
  });
  const last = known.at(-1);
  if (last !== undefined) {
    const sessions = new Set(known.map(({ caller }) => caller.sessionId));
    return sessions.size === 1 ? last : "calls of several sessions are running";
  }
  // People and models are asked only about what was called; roots cost nobody anything.
  const caller = method === "roots/list" ? onlyCaller?.() : undefined;
  return caller?.client === undefined ? "no call of it is running" : { call: undefined, caller };
}

function refuse({ method }: ServerRequest, why: string, { onFault }: AnswerOptions): Answer {
  onFault(`it sent ${method}, but ${why}; it was refused`);
  if (method === "elicitation/create") return { action: "decline" };
  throw Object.assign(new Error(`${method} was refused: ${why}.`), { code: -32601 });
}

/** Whether the host declared that it answers such a request: nobody else is asked in its place. */
function canAnswer(
  { method, params = {} }: ServerRequest,
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
  if (method === "elicitation/create") return { ...(await client.elicit({ ...named }, signal)) };
  if (method === "sampling/createMessage") return client.sample({ ...named }, signal);
  return refuse(request, "the host of this session cannot answer it", options);
}

/** A person must see who asks, and nothing that is invisible. */
function framed(params: Answer = {}, { server }: AnswerOptions): Answer {
  const said = typeof params["message"] === "string" ? params["message"] : "";
  return { ...params, message: `The MCP server "${server}" asks: ${toVisibleText(said)}` };
}

function withKey(params: Answer | undefined, key: string): Answer {
  const meta = params?.["_meta"];
  const named = { ...(typeof meta === "object" && meta), [inputKey]: key };
  return { ...params, _meta: params === undefined ? { ...named, [noParams]: true } : named };
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
