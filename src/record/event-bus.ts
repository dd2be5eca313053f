import type { EventName, TenonEvent, TenonEvents } from "../contract/events.js";
import { isThenable } from "../contract/is-thenable.js";

interface Subscription {
  /** `undefined`: every event. */
  readonly name: EventName | undefined;
  readonly deliver: (payload: unknown, event: () => TenonEvent) => unknown;
  active: boolean;
}

const maxMessageChars = 500;

/** Notifies listeners; one that throws or rejects affects no other. */
export class EventBus {
  readonly #now: () => number;
  /** In order of registration, which is the order of delivery. */
  readonly #subscriptions = new Set<Subscription>();
  /** Who hears which event; made when first asked for, dropped whenever somebody comes or goes. */
  readonly #audiences = new Map<EventName, readonly Subscription[]>();

  constructor(options: { now?: () => number } = {}) {
    this.#now = options.now ?? Date.now;
  }

  /** Hear one kind of event; the returned function ends it. */
  on<N extends EventName>(name: N, listener: (payload: TenonEvents[N]) => void | Promise<void>): () => void {
    return this.#subscribe({
      name,
      deliver: (payload) => listener(payload as TenonEvents[N]),
      active: true,
    });
  }

  /** Hear every event, with its name and time; the returned function ends it. */
  onAny(listener: (event: TenonEvent) => void | Promise<void>): () => void {
    return this.#subscribe({
      name: undefined,
      deliver: (_payload, event) => listener(event()),
      active: true,
    });
  }

  /** Whether anybody listens, so that payloads are built only for somebody. */
  has(name: EventName): boolean {
    return (this.#audiences.get(name) ?? this.#audience(name)).length > 0;
  }

  /** Tell everybody who listens now; never throws. */
  emit<N extends EventName>(name: N, payload: TenonEvents[N]): void {
    const audience = this.#audience(name);
    if (audience.length === 0) return;
    let event: TenonEvent | undefined;
    const asEvent = () =>
      (event ??= Object.freeze({ type: name, time: this.#now(), payload }) as unknown as TenonEvent);
    for (const subscription of audience) {
      if (!subscription.active) continue;
      try {
        const answer = subscription.deliver(payload, asEvent);
        if (isThenable(answer)) {
          Promise.resolve(answer).then(undefined, (reason: unknown) => this.#report(name, reason));
        }
      } catch (error) {
        this.#report(name, error);
      }
    }
  }

  #subscribe(subscription: Subscription): () => void {
    this.#subscriptions.add(subscription);
    this.#audiences.clear();
    return () => {
      // A listener removed while its event is being delivered is not called any more.
      subscription.active = false;
      if (this.#subscriptions.delete(subscription)) this.#audiences.clear();
    };
  }

  #audience(name: EventName): readonly Subscription[] {
    const known = this.#audiences.get(name);
    if (known !== undefined) return known;
    const audience = [...this.#subscriptions].filter((s) => s.name === undefined || s.name === name);
    this.#audiences.set(name, audience);
    return audience;
  }

  #report(event: EventName, error: unknown): void {
    // Who fails while hearing of a failure is left alone, or two bad listeners would never end.
    if (event === "LISTENER_FAILED") return;
    this.emit("LISTENER_FAILED", { event, message: messageOf(error) });
  }
}

/** Anything can be thrown, even what cannot be turned into a string. */
function messageOf(error: unknown): string {
  try {
    const message: unknown = error instanceof Error ? error.message || error.name : error;
    return String(message).slice(0, maxMessageChars);
  } catch {
    return "The listener threw something that has no message.";
  }
}
