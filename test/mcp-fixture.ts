import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { serveHost, type ServeHostOptions } from "../src/mcp/server/serve-host.js";
import { StdioDispatch } from "../src/mcp/server/stdio-dispatch.js";
import { StdioTransport } from "../src/mcp/server/stdio-transport.js";
import { createTenon } from "../src/runtime/create-tenon.js";
import type { TenonOptions } from "../src/runtime/tenon-options.js";
import { createMcpHost, type McpHostOptions } from "../src/runtime/mcp-host/create-mcp-host.js";

type Message = Readonly<Record<string, unknown>> & {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

/** A host that speaks lines, and sees all that the server says. */
export interface LineHost {
  readonly seen: readonly Message[];
  /** What the host answers to a request of the server. @default nothing */
  answer?: ((request: Message) => object | undefined) | undefined;
  /** As it is, without a check. */
  write(text: string | Buffer): void;
  send(message: object): void;
  request(method: string, params?: object): Promise<Message>;
  /** The list that a request answers with. */
  list<T = { readonly name: string }>(method: string, key: string): Promise<readonly T[]>;
  /** The first message that fits, said before or to come. */
  until(fits: (message: Message) => boolean): Promise<Message>;
  initialize(capabilities?: object): Promise<Message>;
  /** End the input; resolves when the server is done. */
  end(): Promise<void>;
}

export interface McpFixture {
  readonly dir: string;
  readonly tenon: ReturnType<typeof createTenon>;
  readonly host: ReturnType<typeof createMcpHost>;
  connect(options?: ServeHostOptions & { readonly maxBytes?: number; readonly graceMs?: number }): LineHost;
  close(): Promise<void>;
}

export function openMcpFixture(
  options: Partial<TenonOptions> = {},
  more: Partial<McpHostOptions> = {},
): McpFixture {
  const dir = mkdtempSync(join(tmpdir(), "tenon-mcp-"));
  const { config, ...others } = options;
  const tenon = createTenon({
    workspace: dir,
    config: { stateDir: join(dir, ".state"), ...config },
    ...others,
  });
  const host = createMcpHost(tenon, { version: "1.2.3", ...more });
  const lines: LineHost[] = [];
  return {
    dir,
    tenon,
    host,
    connect({ maxBytes, graceMs, ...own } = {}) {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const transport = new StdioTransport({ input, output, maxBytes, graceMs });
      const line = createLineHost(input, output, serveHost(host, new StdioDispatch(transport), own));
      lines.push(line);
      return line;
    },
    async close() {
      await Promise.all(lines.map((line) => line.end()));
      await tenon.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A host at the other end of a pair of streams. */
export function createLineHost(input: PassThrough, output: PassThrough, served: Promise<void>): LineHost {
  const seen: Message[] = [];
  const waiting = new Set<{ fits: (message: Message) => boolean; resolve: (message: Message) => void }>();
  let rest = "";
  let lastId = 0;
  output.setEncoding("utf8");
  output.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const message of lines.flatMap((line): Message[] =>
      [JSON.parse(line) as Message | Message[]].flat(),
    )) {
      seen.push(message);
      if (message.method !== undefined && message.id !== undefined) {
        const result = host.answer?.(message);
        if (result !== undefined) host.send({ id: message.id, result });
      }
      for (const one of waiting) {
        if (!one.fits(message)) continue;
        waiting.delete(one);
        one.resolve(message);
      }
    }
  });
  const until = (fits: (message: Message) => boolean): Promise<Message> => {
    const known = seen.find((message) => fits(message));
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => waiting.add({ fits, resolve }));
  };
  const host: LineHost = {
    seen,
    write: (text) => void input.write(text),
    send: (message) => void input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    request(method, params) {
      const id = `r${++lastId}`;
      host.send({ id, method, params });
      return until((message) => message.id === id && message.method === undefined);
    },
    until,
    async list<T>(method: string, key: string) {
      const { result } = await host.request(method);
      return (result?.[key] ?? []) as readonly T[];
    },
    async initialize(capabilities = {}) {
      const clientInfo = { name: "test", version: "1" };
      const answer = await host.request("initialize", {
        protocolVersion: "2025-11-25",
        capabilities,
        clientInfo,
      });
      host.send({ method: "notifications/initialized" });
      return answer;
    },
    end() {
      input.end();
      return served;
    },
  };
  return host;
}

/** What every request of 2026-07-28 carries. */
export const envelope = (capabilities: object = {}) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});
