import type { ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import type { Bus } from "../bus/open-bus.js";
import { callPriorities, maxAgeMs, type CallPriority } from "../protocol.js";

export interface CallQueueOptions {
  readonly bus: Bus;
  readonly workspace: string;
  readonly epoch: number;
  readonly take: (message: JsMsg) => void;
  /** The server's time. */
  readonly now: () => number;
  /** Whether calls were made in the workspace before. */
  readonly hasPast: () => Promise<boolean>;
  readonly onFault: (cause: unknown) => void;
}

/**
 * The calls of a workspace, as its owner takes them. Each owner makes a queue of its own and removes that of the
 * owner before it, so that a worker that lost the workspace gets no more calls, and all calls that nobody has answered come
 * again, in the order in which they were sent.
 */
export class CallQueue {
  readonly #options: CallQueueOptions;
  #messages: ConsumerMessages[] = [];
  #inheritedUpTo = 0;
  #replayableUntil = 0;
  #closed = false;

  constructor(options: CallQueueOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    await this.#removeOthers();
    await this.#make();
    await this.#consume();
  }

  /**
   * Whether nobody can have begun a call before: it came after this queue was made, and the stream would have dropped
   * a second one. A stream that was lost and made again does not know what it has carried: then the log is asked for a while.
   */
  isNew({ seq, redelivered }: Pick<JsMsg, "seq" | "redelivered">): boolean {
    return seq > this.#inheritedUpTo && !redelivered && performance.now() > this.#replayableUntil;
  }

  /** Go on after the bus was away. Throws where another owner has a queue: then the workspace is lost. */
  async reopen(): Promise<void> {
    if (this.#closed) return;
    const { bus } = this.#options;
    for (const messages of this.#messages) messages.stop();
    const isThere = await bus.manager.consumers
      .info(bus.names.calls, this.#nameOf("normal"))
      .catch(() => undefined);
    if (isThere === undefined) await this.#make();
    if (!this.#closed) await this.#consume();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const messages of this.#messages) messages.stop();
    const { bus } = this.#options;
    // Where the bus is away, the next owner removes them.
    if (!bus.isOnline()) return;
    const names = callPriorities.map((priority) => this.#nameOf(priority));
    await Promise.all(
      names.map((name) => bus.manager.consumers.delete(bus.names.calls, name).catch(() => false)),
    );
  }

  #nameOf(priority: CallPriority): string {
    const { workspace, epoch } = this.#options;
    return `${workspace}-${epoch.toString(36)}-${priority}`;
  }

  async #make(): Promise<void> {
    const { bus, workspace, now, hasPast } = this.#options;
    const { AckPolicy, DeliverPolicy } = await import("@nats-io/jetstream");
    for (const priority of callPriorities)
      await bus.manager.consumers.add(bus.names.calls, {
        durable_name: this.#nameOf(priority),
        filter_subject: bus.names.callsOf(workspace, priority),
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ack_wait: 30_000 * 1_000_000,
        max_ack_pending: 1000,
        // Where the server forgets it, this owner makes it again: what was not acknowledged is in the stream.
        mem_storage: true,
      });
    const { created, state } = await bus.manager.streams.info(bus.names.calls);
    this.#inheritedUpTo = state.last_seq;
    const youngMs = (await hasPast()) ? Date.parse(created) + maxAgeMs * 2 - now() : 0;
    this.#replayableUntil = performance.now() + youngMs;
  }

  async #removeOthers(): Promise<void> {
    const { bus, workspace } = this.#options;
    const all = bus.names.call(workspace, "");
    for await (const { name, config } of bus.manager.consumers.list(bus.names.calls))
      if (config.filter_subject?.startsWith(all) === true)
        await bus.manager.consumers.delete(bus.names.calls, name);
  }

  async #consume(): Promise<void> {
    const { bus, take, onFault } = this.#options;
    this.#messages = [];
    for (const priority of callPriorities) {
      const consumer = await bus.jetstream.consumers.get(bus.names.calls, this.#nameOf(priority));
      const messages = await consumer.consume({ max_messages: 200, callback: take });
      this.#messages.push(messages);
      void messages.closed().then((cause) => cause instanceof Error && onFault(cause));
    }
  }
}
