import { StringDecoder } from "node:string_decoder";
import { messageOf } from "../../contract/message-of.js";

/** Answers one request; what it throws becomes a JSON-RPC error. */
export type Handle = (
  method: string,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => unknown;

export interface PeerParts {
  readonly stdin: NodeJS.ReadableStream;
  /** Writes one line to the other side. */
  readonly write: (line: string) => void;
  readonly handle: Handle;
  /** The other side is gone. */
  readonly onEnd: () => void;
}

/** A request that this side does not know, or cannot take. */
export class RequestError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }

  override get name(): string {
    return "RequestError";
  }
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/**
 * JSON-RPC over lines, which is all of MCP's stdio transport that a plugin's process needs. The SDK's
 * server takes 0.2 s to load, more than all the rest of the start.
 */
export function servePeer({ stdin, write, handle, onEnd }: PeerParts): void {
  const running = new Map<unknown, AbortController>();
  const send = (message: object): void => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

  const answer = async ({ id, method, params }: Message): Promise<void> => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const result = await handle(String(method), toRecord(params), controller.signal);
      send({ id, result: result ?? {} });
    } catch (error) {
      const code = error instanceof RequestError ? error.code : -32_603;
      send({ id, error: { code, message: messageOf(error) } });
    } finally {
      running.delete(id);
    }
  };

  const take = (line: string): void => {
    const message = parse(line);
    if (message === undefined) return send({ id: null, error: { code: -32_700, message: "no JSON" } });
    if (typeof message.method !== "string") return; // this side asks nothing, so nothing is answered to it
    if (message.id !== undefined) return void answer(message);
    if (message.method === "notifications/cancelled")
      running.get(toRecord(message.params)["requestId"])?.abort();
  };

  readLines(stdin, take);
  stdin.once("end", onEnd);
  stdin.once("close", onEnd);
}

function readLines(stdin: NodeJS.ReadableStream, take: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  stdin.on("data", (chunk: Buffer) => {
    const lines = decoder.write(chunk).split("\n");
    for (const [at, text] of lines.entries()) {
      parts.push(text);
      if (at === lines.length - 1) break;
      const line = parts.join("");
      parts = [];
      if (line.trim() !== "") take(line);
    }
  });
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
