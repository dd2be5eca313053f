import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

export type Fields = Readonly<Record<string, unknown>>;

export interface HostOptions {
  readonly capabilities: Fields;
  /** It speaks 2026-07-28. */
  readonly modern: boolean;
}

/** What it answers to requests of the server, unless a test wants something else. */
const usualAnswers: Fields = {
  "elicitation/create": { action: "accept", content: { name: "Ada" }, _meta: { j: 10 } },
  "sampling/createMessage": {
    role: "assistant",
    model: "m",
    content: { type: "text", text: "ok" },
    stopReason: "endTurn",
  },
  "roots/list": { roots: [{ uri: "file:///work", name: "work" }] },
};

/** A host that writes down everything it is sent. */
export abstract class RecordingHost {
  readonly heard: Fields[] = [];
  /** What it answers to requests of the server. */
  answers = usualAnswers;
  readonly #options: HostOptions;
  #id = 0;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Send a message without waiting. */
  protected abstract send(message: Fields): void;
  /** Send a request and wait for its answer. */
  protected abstract exchange(message: Fields): Promise<Fields>;
  /** Give up a request. */
  protected abstract giveUp(id: number): void;
  protected greeted(): void {}
  abstract close(): void;

  async greet(): Promise<void> {
    const { modern, capabilities } = this.#options;
    if (modern) return;
    const clientInfo = { name: "recorder", version: "1" };
    await this.ask("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
    this.send({ method: "notifications/initialized" });
    this.greeted();
    await this.ask("logging/setLevel", { level: "info" });
  }

  /** The whole answer without its id; questions of a host of 2026 are answered and the request is sent again. */
  async ask(method: string, params: Fields): Promise<Fields> {
    const { id: _id, ...answer } = await this.exchange(this.#request(method, params));
    const { inputRequests, requestState } = Object(answer["result"]) as Record<
      string,
      Record<string, Fields>
    >;
    if (inputRequests === undefined) return answer;
    this.heard.push(...Object.entries(inputRequests).map(([key, request]) => ({ key, ...request })));
    const inputResponses = Object.fromEntries(
      Object.entries(inputRequests).map(([key, { method: asked }]) => [key, this.answers[String(asked)]]),
    );
    return this.ask(method, {
      ...params,
      inputResponses,
      ...(requestState !== undefined && { requestState }),
    });
  }

  /** Start a request whose answer nobody waits for; the result gives it up. */
  begin(method: string, params: Fields): () => void {
    const message = this.#request(method, params);
    this.exchange(message).catch(() => undefined); // it is given up
    return () => this.giveUp(message["id"] as number);
  }

  #request(method: string, params: Fields): Fields {
    const { modern, capabilities } = this.#options;
    const _meta = {
      ...(params["_meta"] as object),
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "recorder", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      "io.modelcontextprotocol/logLevel": "info",
    };
    return { id: ++this.#id, method, params: modern ? { ...params, _meta } : params };
  }

  rootsChanged(): void {
    if (!this.#options.modern) this.send({ method: "notifications/roots/list_changed" });
  }

  /** Something that is not an answer. */
  protected take({ id, jsonrpc: _version, ...rest }: Fields): void {
    this.heard.push(rest);
    if (id !== undefined) this.send({ id, result: this.answers[rest["method"] as string] });
  }
}

/** A host that starts a program and speaks with it on its standard streams. */
export class StdioHost extends RecordingHost {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<unknown, (message: Fields) => void>();

  constructor(command: readonly string[], options: HostOptions & { readonly env?: NodeJS.ProcessEnv }) {
    super(options);
    const [program = "", ...args] = command;
    this.#child = spawn(program, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...options.env },
    });
    createInterface({ input: this.#child.stdout! }).on("line", (line) => {
      const message = JSON.parse(line) as Fields;
      if (message["method"] === undefined) this.#waiting.get(message["id"])?.(message);
      else this.take(message);
    });
  }

  protected send(message: Fields): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  protected exchange(message: Fields): Promise<Fields> {
    return new Promise((done) => {
      this.#waiting.set(message["id"], done);
      this.send(message);
    });
  }

  protected giveUp(requestId: number): void {
    this.send({ method: "notifications/cancelled", params: { requestId } });
  }

  close(): void {
    this.#child.kill("SIGKILL");
  }
}

/** A host that speaks Streamable HTTP. */
export class HttpHost extends RecordingHost {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #modern: boolean;
  readonly #leaving = new Map<unknown, AbortController>();
  readonly #closed = new AbortController();

  constructor(url: string, options: HostOptions & { readonly token?: string }) {
    super(options);
    this.#url = url;
    this.#modern = options.modern;
    this.#headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": options.modern ? "2026-07-28" : "2025-11-25",
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
    };
  }

  protected override greeted(): void {
    // What belongs to no request comes on a stream of its own, where the server has one.
    void fetch(this.#url, { headers: this.#headers, signal: this.#closed.signal })
      .then((response) => (response.ok ? this.#read(response, undefined) : undefined))
      .catch(() => undefined); // it ends with the host
  }

  protected send(message: Fields): void {
    void this.#post(message, this.#closed.signal);
  }

  protected async exchange(message: Fields): Promise<Fields> {
    const leaving = new AbortController();
    this.#leaving.set(message["id"], leaving);
    const response = await this.#post(message, AbortSignal.any([leaving.signal, this.#closed.signal]));
    const session = response.headers.get("mcp-session-id");
    if (session !== null) this.#headers["mcp-session-id"] = session;
    if (response.headers.get("content-type")?.includes("json")) return (await response.json()) as Fields;
    const answer = await this.#read(response, message["id"]);
    if (answer === undefined) throw new Error(`no answer to ${String(message["method"])}`);
    return answer;
  }

  protected giveUp(requestId: number): void {
    if (this.#modern) this.#leaving.get(requestId)?.abort();
    else this.send({ method: "notifications/cancelled", params: { requestId } });
  }

  close(): void {
    this.#closed.abort();
  }

  #post(message: Fields, signal: AbortSignal): Promise<Response> {
    const { name, uri } = Object(message["params"]) as { name?: string; uri?: string };
    const method = message["method"];
    const mirrored = this.#modern && typeof method === "string" ? { "mcp-method": method } : {};
    const named = this.#modern && (name ?? uri) !== undefined ? { "mcp-name": String(name ?? uri) } : {};
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    return fetch(this.#url, {
      method: "POST",
      headers: { ...this.#headers, ...mirrored, ...named },
      body,
      signal,
    });
  }

  async #read(response: Response, id: unknown): Promise<Fields | undefined> {
    let answer: Fields | undefined;
    let rest = "";
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      const lines = (rest + decoder.decode(piece as Uint8Array, { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const data = /^data: ?(\{.*)$/.exec(line)?.[1];
        if (data === undefined) continue;
        const message = JSON.parse(data) as Fields;
        if (message["method"] !== undefined) this.take(message);
        else if (message["id"] === id) answer = message;
      }
    }
    return answer;
  }
}
