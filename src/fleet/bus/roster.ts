import type { KV, KvWatchEntry } from "@nats-io/kv";
import type { QueuedIterator } from "@nats-io/transport-node";
import { leaseMs, memberSchema, workspaceSchema, type Member, type WorkspaceEntry } from "../protocol.js";
import type { Bus } from "./open-bus.js";
import { ServerClock } from "./server-clock.js";

/** An entry as it lies in a bucket. */
export interface Kept<T> {
  readonly value: T;
  readonly revision: number;
  /** When the server wrote it. */
  readonly writtenAt: number;
}

/** Who is there and who owns what, followed as it changes. Leases are judged by the server's time. */
export class Roster {
  readonly clock: ServerClock;
  readonly members = new Map<string, Kept<Member>>();
  readonly workspaces = new Map<string, Kept<WorkspaceEntry>>();
  readonly #bus: Bus;
  readonly #onFault: (cause: unknown) => void;
  readonly #listeners = new Set<() => void>();
  #watches: QueuedIterator<KvWatchEntry>[] = [];
  #unfollow: () => void = () => {};

  constructor(bus: Bus, onFault: (cause: unknown) => void, clock = new ServerClock()) {
    this.#bus = bus;
    this.#onFault = onFault;
    this.clock = clock;
  }

  async open(): Promise<void> {
    await this.#watchAll();
    this.#unfollow = this.#bus.onOnline(() => this.#watchAll());
  }

  /** Told after every change; the result ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Whether its lease is valid, as far as is known here. */
  isAlive(id: string, incarnation?: string): boolean {
    const member = this.members.get(id);
    if (member === undefined || member.value.fenced === true) return false;
    if (incarnation !== undefined && member.value.incarnation !== incarnation) return false;
    return this.clock.now() - member.writtenAt <= leaseMs;
  }

  /** The workers that are there. */
  workers(): readonly Member[] {
    return [...this.members.values()]
      .map(({ value }) => value)
      .filter(({ kind, id }) => kind === "worker" && this.isAlive(id));
  }

  /** The worker that owns a workspace now. */
  ownerOf(workspace: string): string | undefined {
    const entry = this.workspaces.get(workspace)?.value;
    if (entry === undefined || entry.worker === "") return undefined;
    return this.isAlive(entry.worker, entry.incarnation) ? entry.worker : undefined;
  }

  close(): void {
    this.#unfollow();
    for (const watch of this.#watches) watch.stop();
    this.#watches = [];
  }

  /** From the beginning: a bucket may be a new one. */
  async #watchAll(): Promise<void> {
    for (const watch of this.#watches) watch.stop();
    this.#watches = [];
    await Promise.all([
      this.#watch(this.#bus.members, this.members, (value) => memberSchema.parse(value)),
      this.#watch(this.#bus.workspaces, this.workspaces, (value) => workspaceSchema.parse(value)),
    ]);
  }

  async #watch<T>(bucket: KV, into: Map<string, Kept<T>>, parse: (value: unknown) => T): Promise<void> {
    const { values } = await bucket.status();
    const entries = await bucket.watch();
    this.#watches.push(entries);
    into.clear();
    await new Promise<void>((resolve, reject) => {
      const follow = async (): Promise<void> => {
        if (values === 0) resolve();
        for await (const entry of entries) {
          this.#take(entry, into, parse);
          if (entry.delta === 0) resolve();
        }
      };
      follow().then(resolve, (cause: unknown) => {
        this.#onFault(cause);
        reject(cause);
      });
    });
  }

  #take<T>(entry: KvWatchEntry, into: Map<string, Kept<T>>, parse: (value: unknown) => T): void {
    const writtenAt = entry.created.getTime();
    this.clock.hear(writtenAt);
    if (entry.operation !== "PUT") into.delete(entry.key);
    else {
      try {
        into.set(entry.key, { value: parse(entry.json()), revision: entry.revision, writtenAt });
      } catch (cause) {
        // Of a program that is too new, or of nobody: it counts as not there.
        into.delete(entry.key);
        this.#onFault(cause);
      }
    }
    for (const listener of this.#listeners) listener();
  }
}
