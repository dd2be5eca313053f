import type { IncomingMessage, ServerResponse } from "node:http";

/** The body of a request; without a text where it is longer than it may be, or where its sender left. */
export interface RequestBody {
  readonly text?: string;
  readonly isGone: boolean;
}

const gone: RequestBody = { isGone: true };

/** Read the whole body. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<RequestBody> {
  if (request.destroyed && !request.complete) return Promise.resolve(gone);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve({ isGone: false });
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let isDone = false;
    const settle = (body: RequestBody): void => {
      if (!isDone) resolve(body); // a second time would cost more than the first
      isDone = true;
    };
    // Not `once`, which makes a function for each.
    request.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size <= maxBytes) pieces.push(piece);
      else {
        request.pause().removeAllListeners("data");
        settle({ isGone: false });
      }
    });
    request.on("end", () => {
      const [first = Buffer.alloc(0)] = pieces;
      const text = (pieces.length > 1 ? Buffer.concat(pieces) : first).toString();
      // A byte order mark is no part of the text.
      settle({ text: text.startsWith("\uFEFF") ? text.slice(1) : text, isGone: false });
    });
    const leave = (): void => settle(gone);
    request.on("error", leave);
    request.on("close", leave);
  });
}

/**
 * The request as far as the SDK looks at it; its signal tells when the client leaves. A whole `Request` costs more than
 * the rest of the way, and the memory of its signals is freed late.
 */
export function toWebRequest(request: IncomingMessage, response: ServerResponse): Request {
  const { method = "GET", url = "/" } = request;
  const headers = new Headers(
    Object.entries(request.headers).map(([name, value = ""]): [string, string] => [
      name,
      Array.isArray(value) ? value.join(", ") : value,
    ]),
  );
  let leaving: AbortController | undefined;
  const seen: Pick<Request, "method" | "headers" | "url" | "signal"> = {
    method,
    headers,
    url: new URL(url, "http://localhost").href,
    get signal() {
      if (leaving === undefined) {
        leaving = new AbortController();
        if (response.destroyed) leaving.abort();
        response.once("close", () => {
          if (!response.writableFinished) leaving?.abort();
        });
      }
      return leaving.signal;
    },
  };
  return seen as Request;
}

/** Send an answer of the SDK, no faster than the client reads it. */
export async function sendWebResponse(
  answer: Response,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // What is still being sent is not read, so the connection cannot be used again.
  if (!request.complete) response.setHeader("connection", "close");
  if (response.destroyed) return answer.body?.cancel();
  // Whether the connection stays is for Node to say: the SDK keeps it though the client wants it closed.
  const headers = [...answer.headers].filter(([name]) => name !== "connection");
  response.writeHead(answer.status, Object.fromEntries(headers));
  if (answer.body === null) return void response.end();
  if (answer.headers.get("content-type")?.startsWith("text/event-stream") === true) response.flushHeaders();
  const reader = answer.body.getReader();
  let wake = (): void => {};
  response.on("drain", () => wake());
  response.once("close", () => {
    wake();
    reader.cancel().catch(() => undefined); // it ended by itself
  });
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    if (response.closed) return;
    if (!response.write(step.value)) await new Promise<void>((resolve) => (wake = resolve));
  }
  response.end();
}
