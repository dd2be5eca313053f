import type { JsMsg } from "@nats-io/jetstream";

/** The messages of calls that were taken and are not answered yet. One may have been sent twice. */
export class TakenMessages {
  readonly #all = new Set<JsMsg>();
  readonly #byCall = new Map<string, Set<JsMsg>>();

  get size(): number {
    return this.#all.size;
  }

  add(message: JsMsg): void {
    this.#all.add(message);
    const callId = callIdOf(message);
    const known = this.#byCall.get(callId);
    if (known === undefined) this.#byCall.set(callId, new Set([message]));
    else known.add(message);
  }

  delete(message: JsMsg): void {
    this.#all.delete(message);
    const callId = callIdOf(message);
    const known = this.#byCall.get(callId);
    known?.delete(message);
    if (known?.size === 0) this.#byCall.delete(callId);
  }

  /** The message of a call, the first one that was taken. */
  find(callId: string): JsMsg | undefined {
    return this.#byCall.get(callId)?.values().next().value;
  }

  [Symbol.iterator](): Iterator<JsMsg> {
    return this.#all.values();
  }
}

function callIdOf({ headers }: JsMsg): string {
  return headers?.get("Nats-Msg-Id") ?? "";
}
