import { hasProtocolMeta, metaOf, type WireMessage } from "../../wire/json-rpc.js";
import { isModernMeta, isPlainInfo, isUsual } from "./plain-meta.js";
import type { StdioDispatch } from "./stdio-dispatch.js";

/** Answers to an MCP host that are known before Tenon is loaded, as JSON. */
export interface AnswerCatalogue {
  readonly tools: string;
  readonly discover: string;
  readonly list: string;
  readonly modernList: string;
  initialize(requestedVersion: string): string;
}

/** What a quick start hands over to the loaded server. */
export interface McpStart {
  readonly dispatch: StdioDispatch;
  /** The tools that the host has listed, as JSON; `undefined` where it has not listed them yet. */
  listedTools(): string | undefined;
}

/** How long the first message, and the one after `initialize`, is waited for before Tenon is loaded. */
const firstMessageMs = 250;
const nextMessageMs = 40;

/** Answers `initialize`, `server/discover`, `ping` and the first `tools/list` until the server is loaded. */
export class ReadyAnswers {
  readonly #catalogue: AnswerCatalogue;
  readonly #dispatch: StdioDispatch;
  readonly #load: (start: McpStart) => void;
  #initialized = false;
  /** A request of 2026-07-28 other than `server/discover` settles which revision is spoken. */
  #modern = false;
  #listed: string | undefined;
  #loading = false;
  #timer: NodeJS.Timeout;

  constructor(catalogue: AnswerCatalogue, dispatch: StdioDispatch, load: (start: McpStart) => void) {
    this.#catalogue = catalogue;
    this.#dispatch = dispatch;
    this.#load = load;
    this.#timer = setTimeout(() => this.#loadNow(), firstMessageMs);
    void dispatch.transport.closed.then(() => this.#loadNow());
  }

  answer(message: WireMessage): boolean {
    const meta = metaOf(message);
    // Anything unusual is left to the SDK: it must be answered as it would be after a full start.
    if (meta === undefined) return false;
    const answered = this.#initialized ? this.#answerNext(message, meta) : this.#answerFirst(message, meta);
    if (answered) this.loadSoon(this.#listed === undefined ? nextMessageMs : 0);
    return answered;
  }

  #answerFirst(message: WireMessage, meta: Meta): boolean {
    const { id, method, params } = message;
    if (id === undefined || id === null) return false;
    if (method === "initialize" && !this.#modern && !hasProtocolMeta(meta) && isInitialize(params)) {
      this.#initialized = true;
      this.#send(id, this.#catalogue.initialize(params.protocolVersion));
      this.#dispatch.replay(message);
      return true;
    }
    if (!isModernMeta(meta)) return false;
    if (method === "server/discover") this.#send(id, this.#catalogue.discover);
    else if (method === "tools/list" && isFirstPage(params)) {
      this.#modern = true;
      this.#sendTools(id, this.#catalogue.modernList);
      this.#dispatch.replay(message);
    } else return false;
    return true;
  }

  #answerNext(message: WireMessage, meta: Meta): boolean {
    const { id, method, params } = message;
    if (method === "notifications/initialized") {
      this.#dispatch.replay(message);
      return true;
    }
    if (id === undefined || id === null || hasProtocolMeta(meta)) return false;
    if (method === "ping") this.#send(id, "{}");
    else if (method === "tools/list" && isFirstPage(params)) this.#sendTools(id, this.#catalogue.list);
    else return false;
    return true;
  }

  #send(id: string | number, result: string): void {
    const text = `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
    this.#dispatch.transport.sendText(id, text);
  }

  #sendTools(id: string | number, result: string): void {
    this.#listed = this.#catalogue.tools;
    this.#send(id, result);
  }

  /** Load the server in so many milliseconds, unless a message that needs it comes first. */
  loadSoon(ms: number): void {
    if (this.#loading) return;
    clearTimeout(this.#timer);
    // After the answer is written: loading keeps the thread busy.
    if (ms === 0) setImmediate(() => setImmediate(() => this.#loadNow()));
    else this.#timer = setTimeout(() => this.#loadNow(), ms);
  }

  #loadNow(): void {
    if (this.#loading) return;
    this.#loading = true;
    clearTimeout(this.#timer);
    this.#load({ dispatch: this.#dispatch, listedTools: () => this.#listed });
  }
}

type Meta = Readonly<Record<string, unknown>>;

function isInitialize(params: unknown): params is { readonly protocolVersion: string } {
  const { protocolVersion, capabilities, clientInfo } = Object(params) as Record<string, unknown>;
  return typeof protocolVersion === "string" && isUsual(capabilities) && isPlainInfo(clientInfo);
}

function isFirstPage(params: unknown): boolean {
  return (Object(params) as { cursor?: unknown }).cursor === undefined;
}
