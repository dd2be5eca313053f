import type { UpstreamCall } from "../../contract/ports/upstream.js";
import type { Caller } from "./caller.js";

/** Remembers for whom the calls of a server are made. */
export class Callers {
  readonly #byCall = new WeakMap<UpstreamCall, Caller>();
  /** `null`: several sessions have used the server. */
  #only: Caller | null | undefined;

  add(call: UpstreamCall, { sessionId, client, interact }: Caller): void {
    const caller = { sessionId, client, interact };
    this.#byCall.set(call, caller);
    const isOther = this.#only === null || (this.#only !== undefined && this.#only.sessionId !== sessionId);
    this.#only = isOther ? null : caller;
  }

  of(call: UpstreamCall): Caller | undefined {
    return this.#byCall.get(call);
  }

  /** The only session that has used the server, where there is just one. */
  get only(): Caller | undefined {
    return this.#only ?? undefined;
  }
}
