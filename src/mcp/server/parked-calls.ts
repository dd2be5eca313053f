import { createHash, randomBytes } from "node:crypto";
import { ToolCancelledError } from "../../contract/errors.js";
import type { CallStop } from "../../contract/host.js";
import { supportedRequests, whenAborted, type Exchange, type RequestContext } from "./exchange.js";
import { RunningCall } from "./running-calls.js";

/** What a host is asked to bring before the request can go on. */
export interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests: Readonly<Record<string, Question>>;
  readonly requestState: string;
}

interface Question {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

export interface ParkingOptions {
  /** How long an unanswered request is kept. @default 10 minutes */
  readonly keepMs?: number | undefined;
  /** Requests that may wait at the same time. @default 256 */
  readonly maxParked?: number | undefined;
}

/** A request as far as it must be the same when it comes again. */
export interface ParkedRequest {
  readonly method: string;
  readonly params: unknown;
}

/**
 * Where requests of 2026-07-28 wait for the host's answers: that revision has no requests of the
 * server, so the running call stays in memory while the host fetches what it was asked for.
 */
export class ParkedCalls {
  readonly #keepMs: number;
  readonly #maxParked: number;
  readonly #parked = new Map<string, Parked>();

  constructor({ keepMs = 600_000, maxParked = 256 }: ParkingOptions = {}) {
    this.#keepMs = keepMs;
    this.#maxParked = maxParked;
  }

  /** Serve a request that is new: it runs until it is done or needs the host. */
  serve<T>(
    request: ParkedRequest,
    ctx: RequestContext,
    run: (exchange: Exchange, stop: CallStop) => Promise<T>,
  ): Promise<T | InputRequired> {
    const parked = new Parked(request, ctx);
    parked.running = run(parked, parked.stop);
    return this.#turn(parked, ctx) as Promise<T | InputRequired>;
  }

  /** Go on with a request that has waited. */
  resume(state: string, request: ParkedRequest, ctx: RequestContext): Promise<unknown> {
    const parked = this.#parked.get(state);
    if (parked === undefined) throw staleState("is unknown, was used already or has expired");
    if (parked.digest !== digestOf(request)) throw staleState("belongs to another request");
    this.#parked.delete(state);
    clearTimeout(parked.expiry);
    parked.answer(ctx);
    return this.#turn(parked, ctx);
  }

  /** Cancel everything that waits. */
  close(): void {
    for (const parked of this.#parked.values()) parked.end("The connection ended.");
    this.#parked.clear();
  }

  async #turn(parked: Parked, ctx: RequestContext): Promise<unknown> {
    const unlisten = whenAborted(ctx.mcpReq.signal, () => parked.end("The host cancelled the request."));
    try {
      const outcome = await parked.round();
      return outcome === needsInput ? this.#park(parked) : outcome;
    } finally {
      unlisten();
    }
  }

  #park(parked: Parked): InputRequired {
    if (this.#parked.size >= this.#maxParked) {
      parked.end("Too many requests wait for answers.");
      throw staleState(`cannot be kept: ${this.#maxParked} requests wait for answers already`);
    }
    const requestState = randomBytes(32).toString("base64url");
    parked.expiry = setTimeout(() => {
      this.#parked.delete(requestState);
      parked.end("The host did not send the requested answers in time.");
    }, this.#keepMs);
    parked.expiry.unref();
    this.#parked.set(requestState, parked);
    return { resultType: "input_required", inputRequests: parked.questions(), requestState };
  }
}

const needsInput = Symbol("needs input");

interface Ask extends Question {
  readonly answered: (answer: Readonly<Record<string, unknown>>) => void;
  readonly leave: (reason: unknown) => void;
}

/** Where a tool names its question itself, a host may bring the answer with the first request. */
const inputKey = "tenon/inputKey";
/** A question that it names has no parameters. */
const noParams = "tenon/noParams";

/** One request that may need several rounds. */
class Parked implements Exchange {
  readonly parks = true;
  running: Promise<unknown> = Promise.resolve();
  expiry: NodeJS.Timeout | undefined;
  readonly #request: ParkedRequest;
  readonly stop = new RunningCall();
  /** Made for the first question: most calls have none. */
  #asks: Map<string, Ask> | undefined;
  #ctx: RequestContext;
  /** What the last round waits for; it counts only once. */
  #resolve: ((outcome: unknown) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  /** The request cannot be served at all; that may be known before the first round waits. */
  #refusal: Error | undefined;

  constructor(request: ParkedRequest, ctx: RequestContext) {
    this.#request = request;
    this.#ctx = ctx;
  }

  /** Only a request that waits is compared with another one, so most never need it. */
  get digest(): string {
    return digestOf(this.#request);
  }

  get supports(): Exchange["supports"] {
    return supportedRequests(this.capabilities);
  }

  get capabilities(): Readonly<Record<string, unknown>> {
    return Object(this.#envelope["io.modelcontextprotocol/clientCapabilities"]) as Record<string, unknown>;
  }

  get logLevel(): string | undefined {
    const level = this.#envelope["io.modelcontextprotocol/logLevel"];
    return typeof level === "string" ? level : undefined;
  }

  get #envelope(): Readonly<Record<string, unknown>> {
    return Object(this.#ctx.mcpReq.envelope) as Record<string, unknown>;
  }

  ask(
    method: string,
    params: Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const lacking = lackingFor(method, params, this.capabilities);
    if (lacking !== undefined) return this.#refuse(lacking);
    const [own, plain] = takeKey(params);
    const early = own === undefined ? undefined : this.#early(own);
    if (early !== undefined) return Promise.resolve(early);
    // A key of Tenon's own cannot be guessed, so that no consent is brought before it was asked for.
    const key = own ?? randomBytes(9).toString("base64url");
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        this.#asks?.delete(key);
        signal.removeEventListener("abort", stop);
        reject(reason);
      };
      const stop = (): void => leave(signal.reason);
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      const answered = (answer: Readonly<Record<string, unknown>>): void => {
        signal.removeEventListener("abort", stop);
        resolve(answer);
      };
      this.#asks ??= new Map();
      this.#asks.set(key, { method, params: plain, answered, leave });
      // What is asked in the same breath goes out in one round.
      setImmediate(() => this.#wake());
    });
  }

  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    void this.#ctx.mcpReq.notify({ method, params }).catch(() => undefined);
  }

  /** Until the request is done, needs the host, or cannot be served at all. */
  round(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#refusal !== undefined) return reject(this.#refusal);
      this.#resolve = resolve;
      this.#reject = reject;
      this.running.then(resolve, reject);
      if (this.#hasAsks) setImmediate(() => this.#wake());
    });
  }

  /** What was asked may have been answered meanwhile. */
  #wake(): void {
    if (this.#hasAsks) this.#resolve?.(needsInput);
  }

  get #hasAsks(): boolean {
    return this.#asks !== undefined && this.#asks.size > 0;
  }

  questions(): InputRequired["inputRequests"] {
    return Object.fromEntries(
      [...(this.#asks ?? [])].map(([key, { method, params }]) => [
        key,
        { method, ...(params && { params }) },
      ]),
    );
  }

  /** Take the answers of a new round; what it left out, or brought as no object, is asked again. */
  answer(ctx: RequestContext): void {
    this.#ctx = ctx;
    for (const [key, ask] of this.#asks ?? []) {
      const response = this.#early(key);
      if (response === undefined) continue;
      this.#asks?.delete(key);
      ask.answered(response);
    }
  }

  #early(key: string): Readonly<Record<string, unknown>> | undefined {
    const responses = this.#ctx.mcpReq.inputResponses ?? {};
    const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
    return typeof response === "object" && response !== null
      ? (response as Readonly<Record<string, unknown>>)
      : undefined;
  }

  /** The host cannot do what the call needs: the whole request is refused. */
  #refuse(lacking: object): Promise<never> {
    const error = Object.assign(new Error("The host did not declare a capability that this request needs."), {
      code: -32021,
      data: { requiredCapabilities: lacking },
    });
    this.#refusal = error;
    this.#reject?.(error);
    this.end(error.message);
    return Promise.reject(error);
  }

  over(): void {
    for (const ask of this.#asks?.values() ?? [])
      ask.leave(new ToolCancelledError("The request that could have carried the question has ended."));
  }

  end(why: string): void {
    clearTimeout(this.expiry);
    this.stop.abort(why);
    this.running.catch(() => undefined); // nobody waits for it any more
  }
}

function takeKey(params: Question["params"]): readonly [string | undefined, Question["params"]] {
  const meta = Object(params?.["_meta"]) as Record<string, unknown>;
  const { [inputKey]: key, [noParams]: isEmpty, ...others } = meta;
  if (typeof key !== "string") return [undefined, params];
  if (isEmpty === true) return [key, undefined];
  const { _meta, ...plain } = params ?? {};
  return [key, Object.keys(others).length === 0 ? plain : { ...plain, _meta: others }];
}

/** The capability that the host would have to declare, where it did not. */
function lackingFor(method: string, params: Question["params"], declared: unknown): object | undefined {
  const can = supportedRequests(declared);
  if (method === "sampling/createMessage") return can.sample ? undefined : { sampling: {} };
  if (method === "roots/list") return "roots" in (Object(declared) as object) ? undefined : { roots: {} };
  if (method !== "elicitation/create") return undefined;
  const url = params?.["mode"] === "url";
  if (url ? can.elicitUrl : can.elicitForm) return undefined;
  return { elicitation: url ? { url: {} } : { form: {} } };
}

function digestOf({ method, params }: ParkedRequest): string {
  const {
    _meta,
    requestState: _state,
    inputResponses: _responses,
    ...rest
  } = Object(params) as Record<string, unknown>;
  return createHash("sha256")
    .update(JSON.stringify([method, rest]))
    .digest("base64");
}

/** JSON-RPC's "invalid params", which the SDK sends as it is. */
function staleState(what: string): Error & { code: number } {
  const message = `The requestState ${what}. Send the request again without it.`;
  return Object.assign(new Error(message), { code: -32602, data: { reason: "invalid_request_state" } });
}
