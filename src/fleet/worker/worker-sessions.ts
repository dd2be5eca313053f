import type { HostSession, McpHost } from "../../contract/host.js";
import type { ClientInfo } from "../../contract/ports/approval.js";
import { createElicitation, HostClient } from "../../mcp/server/elicitation.js";
import type { Exchange } from "../../mcp/server/exchange.js";
import type { CallMessage, SessionFacts } from "../protocol.js";

export interface WorkerSessionsOptions {
  readonly host: McpHost;
  /** The way to the MCP host of a call. */
  readonly exchangeOf: (call: CallMessage) => Exchange;
  readonly find: (callId: string) => CallMessage | undefined;
  readonly onFault: (cause: unknown) => void;
}

interface Kept {
  readonly facts: string;
  readonly session: HostSession;
  /** The fronts that it was used through. */
  readonly fronts: Set<string>;
  lastUsed: number;
  lastCall: CallMessage | undefined;
}

const maxSessions = 10_000;
const idleMs = 60 * 60_000;

/** The sessions of hosts in one workspace. A front says with every message whose it is, so none has to be announced. */
export class WorkerSessions {
  readonly #options: WorkerSessionsOptions;
  readonly #sessions = new Map<string, Kept>();

  constructor(options: WorkerSessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** The session; another role or toolset under the same id is another session. */
  of(
    facts: SessionFacts,
    { front, call }: { readonly front?: string | undefined; readonly call?: CallMessage } = {},
  ): HostSession {
    const known = this.#sessions.get(facts.id);
    const text = JSON.stringify(facts);
    const kept = known?.facts === text ? known : this.#open(facts, text, known);
    kept.lastUsed = Date.now();
    if (front !== undefined) kept.fronts.add(front);
    if (call !== undefined) kept.lastCall = call;
    return kept.session;
  }

  async end(id: string, reason?: string): Promise<void> {
    const kept = this.#sessions.get(id);
    this.#sessions.delete(id);
    await kept?.session.close(reason);
  }

  /** A front has let it go, though its host has not ended it and may go on with it at another one. */
  async leave(id: string, front: string, reason?: string): Promise<boolean> {
    const kept = this.#sessions.get(id);
    kept?.fronts.delete(front);
    if (kept !== undefined && kept.fronts.size > 0) return false;
    await this.end(id, reason);
    return true;
  }

  /** Sessions whose front is gone are never ended by anybody else. */
  endIdle(now = Date.now()): void {
    for (const [id, { lastUsed }] of this.#sessions)
      if (lastUsed < now - idleMs) this.end(id, "its host is gone").catch(this.#options.onFault);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.end(id)));
  }

  #open(facts: SessionFacts, text: string, before: Kept | undefined): Kept {
    before?.session.close().catch(this.#options.onFault);
    const { host, exchangeOf, find } = this.#options;
    const callOf = (callId?: string): CallMessage | undefined =>
      (callId === undefined ? undefined : find(callId)) ?? kept.lastCall;
    const exchange = (callId?: string): Exchange | undefined => {
      const call = callOf(callId);
      return call === undefined ? undefined : exchangeOf(call);
    };
    const session = host.openSession({
      ...facts,
      interact: createElicitation(exchange),
      client: new HostClient(exchange, {
        info: () => callOf()?.client?.info as ClientInfo | undefined,
        meta: (callId) => callOf(callId)?.client?.meta,
        extras: (callId) => callOf(callId)?.client?.extras,
        reports: (callId) => callOf(callId)?.reports === true,
        capabilities: () => callOf()?.client?.capabilities,
        era: () => (callOf()?.client?.parks === true ? "modern" : "legacy"),
      }),
    });
    const kept: Kept = { facts: text, session, fronts: new Set(), lastUsed: Date.now(), lastCall: undefined };
    this.#sessions.set(facts.id, kept);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > maxSessions && oldest !== undefined)
      this.end(oldest, "too many sessions").catch(this.#options.onFault);
    return kept;
  }
}
