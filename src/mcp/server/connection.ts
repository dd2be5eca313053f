import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { CallStop, HostChange, HostSession, HostSessionOptions, McpHost } from "../../contract/host.js";
import { LinkedList, type ListEntry } from "../../contract/linked-list.js";
import type { ClientInfo } from "../../contract/ports/approval.js";
import type { ProtocolEra } from "../../contract/ports/upstream.js";
import { TransientMap } from "../../contract/transient-map.js";
import { invalidParams } from "../../wire/json-rpc.js";
import type { CallBinding } from "./call-tool.js";
import { toNotice, type ChangeNotice } from "./change-notice.js";
import { createElicitation, HostClient, hostGone } from "./elicitation.js";
import { anyResult, createPushExchange, type Exchange, type RequestContext } from "./exchange.js";
import { clientInfoKey, toClientInfo } from "./client-info.js";
import { subscribedIn } from "./subscribed-in.js";
import { ParkedCalls, type ParkingOptions } from "./parked-calls.js";

/** Who connects, and what it may see. */
export interface ConnectionOptions extends Omit<HostSessionOptions, "interact" | "client"> {
  readonly parking?: ParkingOptions | undefined;
  /** Tools, resources or prompts on one page of a list. @default 1000 */
  readonly pageSize?: number | undefined;
  /** Told of faults that no answer can carry. */
  readonly onError?: ((error: Error) => void) | undefined;
}

type Work<T> = (exchange: Exchange, stop: CallStop) => Promise<T>;

/** One host at the other end: its session, what it is being served, and what it wants to hear of. */
export class Connection {
  readonly host: McpHost;
  readonly options: ConnectionOptions;
  readonly session: HostSession;
  readonly since = Date.now();
  readonly #exchanges = new LinkedList<Exchange>();
  /** Each in a holder that is emptied when the call ends: earlier tables of a map may be kept for long. */
  readonly #byCall = new TransientMap<string, { binding: CallBinding | undefined }>();
  readonly #parked: ParkedCalls;
  readonly #listeners = new Set<Server>();
  readonly #watched = new Map<string, () => void>();
  /** How many subscriptions name a resource. */
  readonly #followed = new Map<string, number>();
  readonly #waiting = new Set<string>();
  readonly #stopListening: () => void;
  /** The lowest level of log messages that a host of the 2025 revisions wants. */
  logLevel: string | undefined;
  /** Tells subscriptions of 2026-07-28 over HTTP of changes. */
  publish: ((notice: ChangeNotice) => void) | undefined;
  #info: ClientInfo | undefined;
  #greeted: (() => unknown) | undefined;
  #closing: Promise<void> | undefined;
  /** What a host of 2026-07-28 declared last. */
  #declared: Readonly<Record<string, unknown>> | undefined;
  #era: ProtocolEra | undefined;

  constructor(host: McpHost, options: ConnectionOptions) {
    const find = (callId?: string): Exchange | undefined => this.#find(callId);
    this.host = host;
    this.options = options;
    this.#parked = new ParkedCalls(options.parking);
    this.session = host.openSession({
      ...options,
      interact: createElicitation(find),
      client: new HostClient(find, {
        info: () => this.info,
        reports: (callId) => this.#bound(callId)?.reports === true,
        meta: (callId) => this.#bound(callId)?.meta,
        extras: (callId) => this.#bound(callId)?.extras,
        logLevel: () => this.logLevel,
        capabilities: () => this.#capabilities,
        era: () => this.#era ?? (this.#listeners.size > 0 ? "legacy" : undefined),
        notify: (method, params) => this.#broadcast({ method, params }),
        request: (method, params, signal) => this.#request(method, params, signal),
      }),
    });
    this.#stopListening = host.onChange((change) => this.announce(change));
  }

  get #capabilities(): Readonly<Record<string, unknown>> | undefined {
    if (this.#declared !== undefined) return this.#declared;
    const [server] = this.#listeners;
    // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions declare it once
    return server?.getClientCapabilities();
  }

  /** Note what the `_meta` of a request of 2026-07-28 says of its host; one of 2025 has none. */
  hear(meta: object | undefined): void {
    if (meta === undefined) return;
    const { [capabilitiesKey]: declared, [clientInfoKey]: info } = meta as Record<string, unknown>;
    this.#era = "modern";
    this.#declared = Object(declared) as Record<string, unknown>;
    this.#info ??= toClientInfo(info);
  }

  /** The era that the host chose, whatever it asked for to find out. */
  settle(era: ProtocolEra): void {
    this.#era = era;
    if (era === "legacy") this.#declared = undefined;
  }

  /** Serve one request of a host that may be asked back while it runs. */
  serve<T>(
    server: Server,
    ctx: ServerContext,
    request: { readonly method: string; readonly params: unknown },
    work: (exchange: Exchange, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { envelope } = ctx.mcpReq;
    if (envelope === undefined) {
      // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions say it once
      this.describeClientBy(() => server.getClientVersion());
      // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions declare it once
      const exchange = createPushExchange(ctx, server.getClientCapabilities());
      return this.within(exchange, () => work(exchange, ctx.mcpReq.signal));
    }
    const state: unknown = ctx.mcpReq.requestState();
    // The SDK knows what becomes of a result that asks for input; the types of handlers do not.
    if (state !== undefined && typeof state !== "string")
      throw invalidParams("requestState must be a string.");
    if (state !== undefined) return this.#parked.resume(state, request, ctx) as Promise<T>;
    return this.serveModern(ctx, request, (exchange, stop) => work(exchange, stop.signal));
  }

  /** Serve a new request of 2026-07-28: where it needs the host, it is answered with what it needs and waits. */
  serveModern<T>(
    ctx: RequestContext,
    request: { readonly method: string; readonly params: unknown },
    work: Work<T>,
  ): Promise<T> {
    this.hear(ctx.mcpReq.envelope);
    const run: Work<T> = (exchange, stop) => this.within(exchange, () => work(exchange, stop));
    return this.#parked.serve(request, ctx, run) as Promise<T>;
  }

  /** The program at the other end: what it said first counts as long as the connection lasts. */
  get info(): ClientInfo | undefined {
    return (this.#info ??= toClientInfo(this.#greeted?.()));
  }

  /** Where to look for what the host said when it connected. */
  describeClientBy(said: () => unknown): void {
    this.#greeted ??= said;
  }

  /** A call that the exchange makes, so that questions of the call find their way back. */
  bind(callId: string, binding: CallBinding): () => void {
    const holder: { binding: CallBinding | undefined } = { binding };
    this.#byCall.set(callId, holder);
    return () => {
      holder.binding = undefined;
      this.#byCall.delete(callId);
    };
  }

  #bound(callId: string | undefined): CallBinding | undefined {
    return callId === undefined ? undefined : this.#byCall.get(callId)?.binding;
  }

  /** The connection that would carry the answer to this request is gone, and nobody came back for it. */
  lost(requestId: string | number): void {
    for (const callId of this.#byCall.keys())
      if (this.#bound(callId)?.requestId === requestId) this.session.callerGone(callId);
  }

  /** The same of all that is being served. */
  lostAll(): void {
    for (const callId of this.#byCall.keys()) this.session.callerGone(callId);
  }

  /** The server hears of changes from now on. */
  listen(server: Server): () => void {
    this.#listeners.add(server);
    return () => this.leave(server);
  }

  async watch(uri: string, signal: AbortSignal): Promise<void> {
    if (this.#watched.has(uri)) return;
    if (uri.length > maxUriChars) throw invalidParams(`An address has at most ${maxUriChars} characters.`);
    if (this.#watched.size >= maxWatched)
      throw invalidParams(`More than ${maxWatched} resources are watched.`);
    // Taken before it is waited for: the same address may be asked for, or given up, meanwhile.
    const watching = this.session.resources().watch(uri, signal);
    const stop = (): void => void watching.then((end) => end()).catch(() => undefined);
    this.#watched.set(uri, stop);
    try {
      await watching;
    } catch (error) {
      if (this.#watched.get(uri) === stop) this.#watched.delete(uri);
      throw error;
    }
  }

  unwatch(uri: string): void {
    this.#watched.get(uri)?.();
    this.#watched.delete(uri);
  }

  /** Watch the resources that a subscription of 2026-07-28 names; the result ends that. */
  follow(message: unknown): () => void {
    const uris = [...new Set(subscribedIn(message))].slice(0, maxWatched);
    const { signal } = new AbortController();
    for (const uri of uris) {
      this.#followed.set(uri, (this.#followed.get(uri) ?? 0) + 1);
      this.watch(uri, signal).catch((error: Error) => this.options.onError?.(error));
    }
    return () => {
      for (const uri of uris.splice(0)) {
        const left = (this.#followed.get(uri) ?? 1) - 1;
        if (left > 0) this.#followed.set(uri, left);
        else if (this.#followed.delete(uri)) this.unwatch(uri);
      }
    };
  }

  /** The server speaks for the host no more. */
  leave(server: Server): void {
    this.#listeners.delete(server);
  }

  /** Cancel what waits for the host, and end the session. @param reason Why its jobs end, if that is to be recorded. */
  close(reason?: string): Promise<void> {
    return (this.#closing ??= this.#close(reason));
  }

  async #close(reason: string | undefined): Promise<void> {
    this.#stopListening();
    this.#parked.close();
    for (const stop of this.#watched.values()) stop();
    this.#watched.clear();
    this.#listeners.clear();
    await this.session.close(reason);
  }

  /** Do something for an exchange, where questions without a call find it. */
  async within<T>(exchange: Exchange, work: () => Promise<T>): Promise<T> {
    const entered = this.enter(exchange);
    try {
      return await work();
    } finally {
      this.exit(entered);
      exchange.over?.();
    }
  }

  /** From now on questions without a call find the exchange, until it exits. */
  enter(exchange: Exchange): ListEntry<Exchange> {
    return this.#exchanges.add(exchange);
  }

  exit(entered: ListEntry<Exchange>): void {
    this.#exchanges.remove(entered);
  }

  /**
   * The request that a question belongs to: that of the call, where it is known, else the newest. (An
   * AsyncLocalStorage would tell always, but makes every promise of the process cost twice as much.)
   */
  #find(callId?: string): Exchange | undefined {
    return this.#bound(callId)?.exchange ?? this.#exchanges.last;
  }

  #broadcast(notice: ChangeNotice): void {
    for (const server of this.#listeners)
      server.notification(notice).catch((error: Error) => this.options.onError?.(error));
  }

  /** Ask a host of the 2025 revisions outside of its requests; one of 2026-07-28 is asked by answers only. */
  async #request(
    method: string,
    params: Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const [server] = this.#listeners;
    if (server === undefined || this.#declared !== undefined) throw hostGone();
    const request = { method: method as "elicitation/create", params };
    return server.request(request, anyResult, { signal, timeout: maxUnrelatedMs });
  }

  /** Notify the host of a change; equal changes of one turn of the event loop are sent once. */
  announce(change: HostChange): void {
    if (change.kind === "resource" && !this.#watched.has(change.uri)) return;
    if (this.#listeners.size === 0 && this.publish === undefined) return;
    if (change.server !== undefined && this.options.servers?.includes(change.server) === false) return;
    const notice = toNotice(change, this.session.id);
    const key = JSON.stringify(notice);
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    setImmediate(() => {
      this.#waiting.delete(key);
      this.publish?.(notice);
      this.#broadcast(notice);
    });
  }
}

const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const maxWatched = 10_000;
const maxUriChars = 8192;
/** How long a host may take over a question that belongs to no request: it may have no stream to hear it on. */
const maxUnrelatedMs = 5 * 60_000;
