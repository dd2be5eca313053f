import type { UpstreamCall } from "../../contract/ports/upstream.js";
import type { Caller } from "./caller.js";

/** Remembers for whom the calls of a server are made. */
export class Callers {
  readonly #byCall = new WeakMap<UpstreamCall, Caller>();
  /** `null`: several sessions have used the server. */
  #only: Caller | null | undefined;
  readonly #bySession: Map<string, Caller> | undefined;

  /** @param perSession Each session has an instance of its own. */
  constructor(perSession: boolean) {
    if (perSession) this.#bySession = new Map();
  }

  add(call: UpstreamCall, { sessionId, endpoint, client, interact }: Caller): void {
    const caller = { sessionId, endpoint, client, interact };
    this.#byCall.set(call, caller);
    this.#bySession?.set(sessionId, caller);
    const isOther = this.#only === null || (this.#only !== undefined && this.#only.sessionId !== sessionId);
    this.#only = isOther ? null : caller;
  }

  of(call: UpstreamCall): Caller | undefined {
    return this.#byCall.get(call);
  }

  /** Of the last call of a session. */
  last(sessionId: string): Caller | undefined {
    return this.#bySession?.get(sessionId);
  }

  forget(sessionId: string): void {
    this.#bySession?.delete(sessionId);
  }

  /** The only session that has used the server, where there is just one. */
  get only(): Caller | undefined {
    return this.#only ?? undefined;
  }
}
