import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { readBody } from "./name-proxy.js";
import { parseMessage, type ServerNames } from "./server-names.js";

type Fields = Readonly<Record<string, unknown>>;

const subscriptionKey = "io.modelcontextprotocol/subscriptionId";

/** One request of the suite that the program has not answered yet. */
interface Exchange {
  readonly id: unknown;
  readonly progressToken: unknown;
  readonly res: ServerResponse;
}

/** A program that speaks MCP on its standard streams, for a suite that speaks only HTTP. */
class Program {
  readonly #child: ChildProcess;
  readonly #names: ServerNames;
  readonly #open = new Map<number, Exchange>();
  #lastId = 0;
  #greetings = 0;
  #greeted: Fields | undefined;

  constructor([program = "", ...args]: readonly string[], env: NodeJS.ProcessEnv, names: ServerNames) {
    this.#names = names;
    this.#child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout! }).on("line", (line) => {
      const message = parseMessage(line);
      if (message !== undefined) this.#take(message);
    });
  }

  /** Pass on what needs no answer. */
  tell(message: Fields): void {
    if (message["method"] === "notifications/initialized" && this.#greetings > 1) return;
    this.#send(message);
  }

  ask(message: Fields, res: ServerResponse): void {
    if (message["method"] === "initialize" && this.#greetings++ > 0 && this.#greeted !== undefined)
      return void res.end(event({ ...this.#greeted, id: message["id"] }));
    // Several clients use one program, and may count from 1 each.
    const id = ++this.#lastId;
    const meta = Object((message["params"] as Fields | undefined)?.["_meta"]) as Fields;
    this.#open.set(id, { id: message["id"], progressToken: meta["progressToken"], res });
    res.on("close", () => {
      if (!this.#open.delete(id)) return;
      this.#send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    });
    this.#send(this.#names.toTenon({ ...message, id }));
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }

  #send(message: Fields): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #take(message: Fields): void {
    const { id, method } = message;
    const own = method === undefined ? this.#open.get(id as number) : undefined;
    if (own !== undefined) {
      this.#open.delete(id as number);
      this.#greeted ??= message;
      own.res.end(event({ ...this.#names.fromTenon(message), id: own.id }));
      return;
    }
    const params = Object(message["params"]) as Fields;
    const meta = Object(params["_meta"]) as Fields;
    const subscribed = this.#open.get(Number(meta[subscriptionKey]));
    if (subscribed !== undefined) {
      const renamed = { ...params, _meta: { ...meta, [subscriptionKey]: subscribed.id } };
      return void subscribed.res.write(event({ ...message, params: renamed }));
    }
    const all = [...this.#open.values()];
    const reported = all.find(({ progressToken }) => progressToken === (params["progressToken"] ?? {}));
    (reported ?? all.at(-1))?.res.write(event(message));
  }
}

function isModern({ params }: Fields): boolean {
  const meta = Object((Object(params) as Fields)["_meta"]) as Fields;
  return meta["io.modelcontextprotocol/protocolVersion"] === "2026-07-28";
}

function event(message: Fields): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

/**
 * Serve a program over HTTP: one for all sessions of the 2025 revisions that greet with the same words, since a start
 * takes longer than a scenario, and one for all clients of 2026-07-28.
 */
export async function openStdioBridge(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  names: ServerNames,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const programs = new Map<string, Program>();
  const sessions = new Map<string, Program>();
  const open = (greeting: string): Program => {
    const program = programs.get(greeting) ?? new Program(command, env, names);
    programs.set(greeting, program);
    return program;
  };
  const server = createServer((req, res) => {
    serve(req, res).catch((error: Error) => res.destroy(error));
  });
  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const given = req.headers["mcp-session-id"];
    if (req.method !== "POST") return void res.writeHead(req.method === "DELETE" ? 200 : 405).end();
    const message = parseMessage(await readBody(req));
    if (message === undefined) return void res.writeHead(400).end();
    // What belongs to neither era would decide on that of the program for everybody after it.
    const greets = message["method"] === "initialize";
    const program = greets
      ? open(JSON.stringify(message["params"]))
      : given === undefined && isModern(message)
        ? open("")
        : sessions.get(String(given));
    if (program === undefined) return void res.writeHead(400).end();
    if (message["id"] === undefined || message["method"] === undefined) {
      program.tell(message);
      return void res.writeHead(202).end();
    }
    const session = greets ? randomUUID() : given;
    if (greets) sessions.set(String(session), program);
    res.writeHead(200, {
      "content-type": "text/event-stream",
      ...(session !== undefined && { "mcp-session-id": session }),
    });
    res.flushHeaders();
    program.ask(message, res);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      for (const program of programs.values()) program.end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
