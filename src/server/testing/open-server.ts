import { mkdtempSync, rmSync } from "node:fs";
import { request, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenon } from "../../runtime/create-tenon.js";
import type { TenonOptions } from "../../runtime/tenon-options.js";
import type { Tenon } from "../../runtime/tenon.js";
import { pageHeader, pageSecretMeta } from "../api.js";
import { createConsolePerson } from "../console-person.js";
import { startServer, type RunningServer, type ServerOptions } from "../start-server.js";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of all shapes
  readonly body: any;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Without the token. */
  readonly bare?: boolean;
  readonly signal?: AbortSignal;
  /** Where the request comes from, such as 127.0.0.7. */
  readonly localAddress?: string;
}

/** What a browser has after it was let in. */
export interface SignedIn {
  readonly reply: Reply;
  /** `name=value`. */
  readonly cookie: string;
  /** The page's secret. */
  readonly secret: string;
  /** What the page sends with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface TestServer {
  readonly tenon: Tenon;
  readonly server: RunningServer;
  readonly workspace: string;
  /** With the token, unless it is said otherwise. */
  readonly ask: (path: string, sent?: Sent) => Promise<Reply>;
  readonly post: (path: string, body?: unknown) => Promise<Reply>;
  /** Come in by a one-time link, as a browser does. */
  readonly signIn: (headers?: Readonly<Record<string, string>>) => Promise<SignedIn>;
  close(): Promise<void>;
}

/** A real server on a free port, for a Tenon in a folder of its own. */
export async function openTestServer(
  options: ServerOptions & { readonly tenonOptions?: Partial<TenonOptions> } = {},
): Promise<TestServer> {
  const { tenonOptions, ...serverOptions } = options;
  const workspace = mkdtempSync(join(tmpdir(), "tenon-serve-"));
  const stateDir = mkdtempSync(join(tmpdir(), "tenon-serve-state-"));
  let ids = 0;
  const person = createConsolePerson({ now: Date.now, newId: () => `question-${++ids}` });
  const tenon = createTenon({
    workspace,
    config: { stateDir },
    env: { PATH: process.env["PATH"] },
    interact: person,
    ...tenonOptions,
  });
  const server = await startServer(tenon, {
    port: 0,
    person,
    workspace,
    consoleFolders: [],
    ...serverOptions,
  });
  const ask = (path: string, sent: Sent = {}): Promise<Reply> =>
    send(server, path, {
      ...sent,
      headers: {
        ...(sent.bare !== true && { authorization: `Bearer ${server.token}` }),
        ...sent.headers,
      },
    });
  return {
    tenon,
    server,
    workspace,
    ask,
    post: (path, body) => ask(path, { method: "POST", body: body ?? {} }),
    async signIn(headers = {}) {
      const { pathname, search } = new URL(server.createLink().link);
      const reply = await ask(pathname + search, { bare: true, headers });
      const cookie = reply.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
      const secret =
        new RegExp(`<meta name="${pageSecretMeta}" content="([^"]+)"`).exec(reply.text)?.[1] ?? "";
      return { reply, cookie, secret, headers: { cookie, [pageHeader]: secret } };
    },
    async close() {
      await server.close({ graceMs: 1000 });
      await tenon.close({ graceMs: 1000 });
      for (const folder of [workspace, stateDir]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One request over a socket of its own. */
function send({ port }: RunningServer, path: string, sent: Sent): Promise<Reply> {
  const { method = "GET", body, signal, localAddress } = sent;
  const raw = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const headers = {
    ...(raw !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(raw),
    }),
    ...sent.headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        headers,
        agent: false,
        ...(signal && { signal }),
        ...(localAddress && { localAddress }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: tryParse(text),
          });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(raw);
  });
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
