import type { ServerConnection } from "../client/server-connection.js";

/** The resources of a server to whose changes a host has subscribed. */
export class WatchedResources {
  readonly #counts = new Map<string, number>();
  readonly #connection: () => ServerConnection | undefined;

  constructor(connection: () => ServerConnection | undefined) {
    this.#connection = connection;
  }

  /** Hear of changes of a resource; the result ends that. */
  async add(uri: string): Promise<() => void> {
    const count = (this.#counts.get(uri) ?? 0) + 1;
    this.#counts.set(uri, count);
    const connection = this.#connection();
    if (count === 1 && connection !== undefined) await this.tell(connection);
    let ended = false;
    return () => {
      if (!ended) this.#remove(uri);
      ended = true;
    };
  }

  /** Tell a connection what is watched. */
  async tell(connection: ServerConnection): Promise<void> {
    await connection.watch([...this.#counts.keys()]);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  #remove(uri: string): void {
    const left = (this.#counts.get(uri) ?? 1) - 1;
    if (left > 0) return void this.#counts.set(uri, left);
    this.#counts.delete(uri);
    const connection = this.#connection();
    if (connection !== undefined) void this.tell(connection);
  }
}
