import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { McpStart } from "../mcp/server/start.js";
import { StdioTransport } from "../mcp/server/stdio-transport.js";
import { hasMarks, isRecord, metaOf, type WireMessage } from "../mcp/wire/json-rpc.js";
import { findCatalogue, type Catalogue } from "./mcp-catalogue.js";

/** What the quick start sees of its process. */
export interface QuickProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  cwd(): string;
}

/** How long the first message, and the one after a greeting, is waited for before the rest is loaded. */
const firstMs = 250;
const nextMs = 40;

/**
 * Answer an MCP host's greeting and its first question for the tools from a list that was made before,
 * and load everything else meanwhile. `undefined` where the list could be another one: then all is loaded first.
 * Kept apart from the rest, since it is all that is loaded until then.
 */
export function startQuickly(process: QuickProcess, dist: string, load: (start: McpStart) => void): boolean {
  const catalogue = findCatalogue({
    args: process.argv.slice(3),
    env: process.env,
    cwd: process.cwd(),
    builtIn: () => readFileSync(join(dist, "mcp-catalogue.txt"), "utf8"),
  });
  if (catalogue === undefined) return false;
  const transport = new StdioTransport({ input: process.stdin, output: process.stdout });
  const greeter = new Greeter(catalogue, transport, load);
  transport.intercept = (message) => greeter.answer(message);
  transport.open();
  return true;
}

/** Speaks for the server until it is there. */
class Greeter {
  readonly #catalogue: Catalogue;
  readonly #transport: StdioTransport;
  readonly #load: (start: McpStart) => void;
  #greeted = false;
  /** A request of 2026-07-28 other than a look at the server settles which revision is spoken. */
  #modern = false;
  #told: string | undefined;
  #loading = false;
  #timer: NodeJS.Timeout;

  constructor(catalogue: Catalogue, transport: StdioTransport, load: (start: McpStart) => void) {
    this.#catalogue = catalogue;
    this.#transport = transport;
    this.#load = load;
    this.#timer = setTimeout(() => this.#loadNow(), firstMs);
    void transport.closed.then(() => this.#loadNow());
  }

  answer(message: WireMessage): boolean {
    const meta = metaOf(message);
    // What is odd in any way is the SDK's to judge: it must be answered as it would be after a full start.
    const done =
      meta !== undefined &&
      (this.#greeted ? this.#answerNext(message, meta) : this.#answerFirst(message, meta));
    if (!done || this.#told !== undefined) this.#loadSoon(0);
    else this.#loadSoon(nextMs);
    return done;
  }

  #answerFirst(message: WireMessage, meta: Meta): boolean {
    const { id, method, params } = message;
    if (id === undefined || id === null) return false;
    if (method === "initialize" && !this.#modern && !hasMarks(meta) && isGreeting(params)) {
      this.#greeted = true;
      this.#say(id, this.#catalogue.initialize(params.protocolVersion));
      this.#transport.replay(message);
      return true;
    }
    if (!isModern(meta)) return false;
    if (method === "server/discover") this.#say(id, this.#catalogue.discover);
    else if (method === "tools/list" && isFirstPage(params)) {
      this.#modern = true;
      this.#tell(id, this.#catalogue.modernList);
      this.#transport.replay(message);
    } else return false;
    return true;
  }

  #answerNext(message: WireMessage, meta: Meta): boolean {
    const { id, method, params } = message;
    if (method === "notifications/initialized") {
      this.#transport.replay(message);
      return true;
    }
    if (id === undefined || id === null || hasMarks(meta)) return false;
    if (method === "ping") this.#say(id, "{}");
    else if (method === "tools/list" && isFirstPage(params)) this.#tell(id, this.#catalogue.list);
    else return false;
    return true;
  }

  #say(id: string | number, result: string): void {
    this.#transport.sendText(id, `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`);
  }

  #tell(id: string | number, result: string): void {
    this.#told = this.#catalogue.tools;
    this.#say(id, result);
  }

  #loadSoon(ms: number): void {
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
    this.#load({ transport: this.#transport, toldTools: () => this.#told });
  }
}

type Meta = Readonly<Record<string, unknown>>;

function isGreeting(params: unknown): params is { readonly protocolVersion: string } {
  const { protocolVersion, capabilities, clientInfo } = Object(params) as Record<string, unknown>;
  return typeof protocolVersion === "string" && isUsual(capabilities) && isNamed(clientInfo);
}

const versionKey = "io.modelcontextprotocol/protocolVersion";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const infoKey = "io.modelcontextprotocol/clientInfo";

function isModern({ [versionKey]: version, [capabilitiesKey]: capabilities, ...rest }: Meta): boolean {
  const { [infoKey]: info, ...others } = rest;
  const named = info === undefined || isNamed(info);
  return version === "2026-07-28" && isUsual(capabilities) && named && !hasMarks(others);
}

/** Who says no more of itself than words. */
function isNamed(info: unknown): boolean {
  if (!isRecord(info)) return false;
  const { name, version, title = "", description = "", ...others } = info;
  const words = [name, version, title, description].every((word) => typeof word === "string");
  return words && Object.keys(others).length === 0;
}

/** Capabilities of the shape that hosts declare: objects of objects, but for the one that is a yes or no. */
function isUsual(capabilities: unknown): boolean {
  if (!isRecord(capabilities)) return false;
  return Object.values(capabilities).every(
    (one) =>
      isRecord(one) &&
      Object.entries(one).every(([key, value]) =>
        key === "listChanged" ? typeof value === "boolean" : isRecord(value),
      ),
  );
}

function isFirstPage(params: unknown): boolean {
  return (Object(params) as { cursor?: unknown }).cursor === undefined;
}
