import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request as the server got it. */
export interface SeenRequest {
  readonly body: {
    readonly model: string;
    readonly messages: readonly {
      readonly role: string;
      readonly content: unknown;
      readonly tool_calls?: unknown;
    }[];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
  };
  readonly authorization: string | undefined;
}

/** How the server answers one request. */
export type StandInAnswer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

/** A server that speaks the chat completions protocol; it gives its answers in order. */
export async function startStandIn(answers: readonly StandInAnswer[]): Promise<{
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  readonly close: () => Promise<void>;
}> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => void handle(request, response));
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await text(request)) as SeenRequest["body"];
    const entry = { body, authorization: request.headers.authorization };
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push(entry);
    await answer?.(response, entry);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Stream chunks as server-sent events. */
export function sse(chunks: readonly object[], finishReason = "stop"): StandInAnswer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const wrap = (delta: object, finish: string | null): string =>
      `data: ${JSON.stringify({
        id: "c1",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [{ index: 0, delta, finish_reason: finish }],
      })}\n\n`;
    for (const chunk of chunks) response.write(wrap(chunk, null));
    response.write(wrap({}, finishReason));
    response.write(
      `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })}\n\n`,
    );
    response.end("data: [DONE]\n\n");
  };
}

/** Text in pieces. */
export const says = (...pieces: readonly string[]): StandInAnswer =>
  sse([{ role: "assistant", content: "" }, ...pieces.map((content) => ({ content }))]);

/** Calls with their arguments in pieces, as servers stream them. */
export function callsTools(
  ...calls: readonly (readonly [id: string, name: string, args: string])[]
): StandInAnswer {
  const chunks = calls.flatMap(([id, name, args], index) => {
    const half = Math.floor(args.length / 2);
    return [
      { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
      { tool_calls: [{ index, function: { arguments: args.slice(0, half) } }] },
      { tool_calls: [{ index, function: { arguments: args.slice(half) } }] },
    ];
  });
  return sse([{ role: "assistant", content: null }, ...chunks], "tool_calls");
}

/** An error as servers answer it. */
export const fails =
  (status: number, message: string): StandInAnswer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message, type: "x" } }));
  };
