import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { isNamed, parseMessage, type ServerNames } from "./server-names.js";

/** What stands between the conformance suite, which has no token and knows bare names only, and `tenon serve`. */
export interface NameProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Everything else passes as it is, hosts and origins that are not ours too. */
export async function openNameProxy(
  { url, token }: { readonly url: string; readonly token: string },
  names: ServerNames,
): Promise<NameProxy> {
  const to = new URL(url);
  const proxy = createServer((req, res) => {
    pass(req, res).catch((error: Error) => res.destroy(error));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const own = new RegExp(`(localhost|127\\.0\\.0\\.1):${port}$`);

  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req);
    const message = parseMessage(body);
    const { "content-length": _length, "mcp-name": name, ...headers } = req.headers;
    for (const key of ["host", "origin"] as const)
      if (headers[key] !== undefined) headers[key] = headers[key].replace(own, `$1:${to.port}`);
    if (typeof name === "string")
      headers["mcp-name"] = isNamed(message?.["method"]) ? names.full(name) : name;
    const outgoing = request(to, {
      method: req.method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      agent: false,
    });
    res.on("close", () => outgoing.destroy());
    const answered = new Promise<IncomingMessage>((resolve, reject) =>
      outgoing.once("response", resolve).once("error", reject),
    );
    outgoing.end(message === undefined ? body : JSON.stringify(names.toTenon(message)));
    const answer = await answered;
    const { "content-length": _size, ...answerHeaders } = answer.headers;
    res.writeHead(answer.statusCode ?? 500, answerHeaders);
    res.flushHeaders();
    answer.on("error", () => res.destroy());
    for await (const line of createInterface({ input: answer })) res.write(`${rewritten(line, names)}\n`);
    res.end();
  }

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

export async function readBody(req: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** A line of JSON, or of an event stream. */
function rewritten(line: string, names: ServerNames): string {
  const [, data = "", json = ""] = /^(data: ?)?(\{.*)$/.exec(line) ?? [];
  const message = json === "" ? undefined : parseMessage(json);
  return message === undefined ? line : `${data}${JSON.stringify(names.fromTenon(message))}`;
}
