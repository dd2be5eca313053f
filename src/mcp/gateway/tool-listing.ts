import { messageOf } from "../../contract/message-of.js";
import type { ServerConnection } from "../client/server-connection.js";
import type { ServerCatalogue } from "./server-catalogue.js";

export interface ToolListingOptions {
  readonly catalogue: ServerCatalogue;
  /** All connections that are open, the primary one first. */
  readonly connections: () => readonly ServerConnection[];
  readonly onFault: (message: string) => void;
}

const relistPauseMs = 200;

/** Brings the tools that a server lists into its catalogue, again where it says that they changed. */
export class ToolListing {
  readonly #options: ToolListingOptions;
  #listing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ToolListingOptions) {
    this.#options = options;
  }

  /** Resolves when no listing is under way. */
  get settled(): Promise<void> {
    return this.#listing;
  }

  async take(connection: ServerConnection): Promise<void> {
    const { offers, verdict } = connection;
    await this.#options.catalogue.take(offers.tools ? await connection.listTools() : [], verdict.kind);
  }

  /** The server says that its tools changed. */
  onChanged(): void {
    // Many notices in a row are one change, and a server that never stops must not keep us listing.
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#listing = this.#listAgain().catch((error: unknown) =>
        this.#options.onFault(`its tools could not be listed again: ${messageOf(error)}`),
      );
    }, relistPauseMs);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #listAgain(): Promise<void> {
    // The primary connection comes first, and so is the one that counts in its era.
    const connections = this.#options.connections().toReversed();
    if (connections.length === 0) return;
    const byEra = new Map(connections.map((one) => [one.verdict.kind, one]));
    this.#options.catalogue.keepEras(new Set(byEra.keys()));
    for (const connection of byEra.values()) await this.take(connection);
  }
}
