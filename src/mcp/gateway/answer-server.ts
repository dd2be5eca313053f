import type { ToolContext } from "../../contract/context.js";
import type { ElicitAnswer } from "../../contract/ports/client.js";
import type { UpstreamCall } from "../../contract/ports/upstream.js";
import type { AnswerServer, ServerRequest } from "../client/server-connection.js";
import { cleanText } from "./clean-text.js";
import { askForm } from "./form-questions.js";
import { messageOf } from "../../contract/message-of.js";

export interface AnswerOptions {
  readonly server: string;
  /** The call of Tenon's behind a call of the server's. */
  readonly contextOf: (call: UpstreamCall) => ToolContext | undefined;
  readonly onFault: (message: string) => void;
}

/** Answer what a server asks, by the host or the person of the session whose call it belongs to. */
export function createAnswerer(options: AnswerOptions): AnswerServer {
  const { onFault } = options;
  return async (request, calls) => {
    const ctx = whose(calls, options);
    const what = request.method === "elicitation/create" ? "asked the person something" : "asked for a model";
    if (typeof ctx === "string") {
      onFault(`it ${what}, but ${ctx}; it was refused`);
      if (request.method === "elicitation/create") return { action: "decline" };
      throw new Error(`Sampling was refused: ${ctx}.`);
    }
    if (request.method === "sampling/createMessage") return sample(request, ctx, options);
    return { ...(await elicit(request, ctx, options)) };
  };
}

/** The one session that the request can belong to, or why there is none: the wrong person must not be asked. */
function whose(calls: readonly UpstreamCall[], { contextOf }: AnswerOptions): ToolContext | string {
  const contexts = calls.flatMap((call) => contextOf(call) ?? []);
  const [first] = contexts;
  if (first === undefined) return "no call of it is running";
  const sessions = new Set(contexts.map(({ sessionId }) => sessionId));
  return sessions.size === 1 ? (contexts.at(-1) ?? first) : "calls of several sessions are running";
}

async function sample(request: ServerRequest, ctx: ToolContext, { server, onFault }: AnswerOptions) {
  if (ctx.client?.supports.sample === true) return ctx.client.sample(request.params, request.signal);
  onFault("it asked for a model, but the host of this session offers none; it was refused");
  throw new Error(`Sampling was refused: the host that "${server}" is called for offers no model.`);
}

async function elicit(
  { params, signal }: ServerRequest,
  ctx: ToolContext,
  { server, onFault }: AnswerOptions,
): Promise<ElicitAnswer> {
  const byUrl = params["mode"] === "url";
  const { client } = ctx;
  const said = typeof params["message"] === "string" ? cleanText(params["message"]).text : "";
  const message = `The MCP server "${server}" asks: ${said}`;
  if (client !== undefined && (byUrl ? client.supports.elicitUrl : client.supports.elicitForm)) {
    return client.elicit({ ...params, message }, signal);
  }
  try {
    if (!byUrl) return await askForm(message, params["requestedSchema"], { interact: ctx.interact, signal });
    const url = typeof params["url"] === "string" ? params["url"] : "";
    const question = `${message}\nOpen ${cleanText(url).text} and confirm when you are done.`;
    const { approved } = await ctx.interact.ask({ kind: "confirm", message: question }, signal);
    return { action: approved === true ? "accept" : "decline" };
  } catch (error) {
    signal.throwIfAborted();
    onFault(`it asked the person something, but nobody could be asked: ${messageOf(error)}`);
    return { action: "decline" };
  }
}
