import { messageOf } from "../../contract/message-of.js";
import type { ServerConnection } from "../client/server-connection.js";
import { listingKey, type Profile } from "./caller.js";
import type { LinkUse } from "./link-types.js";
import type { ServerCatalogue } from "./server-catalogue.js";

/** A connection, and the kind of hosts that it lists for. */
export interface ListedFor {
  readonly connection: ServerConnection;
  readonly key: string;
}

export interface ToolListingOptions {
  readonly catalogue: ServerCatalogue;
  /** All connections that are open, the primary one first. */
  readonly connections: () => readonly ListedFor[];
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

  async take({ connection, key }: ListedFor): Promise<void> {
    await this.#options.catalogue.take(connection.offers.tools ? await connection.listTools() : [], key);
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
    // The primary connection comes first, and so is the one that counts for its kind of hosts.
    const connections = this.#options.connections().toReversed();
    if (connections.length === 0) return;
    const byKey = new Map(connections.map((one) => [one.key, one]));
    this.#options.catalogue.keepListings(new Set(byKey.keys()));
    for (const one of byKey.values()) await this.take(one);
  }
}

export function listedFor(connection: ServerConnection, { capabilities }: Profile): ListedFor {
  return { connection, key: listingKey(connection.verdict.kind, capabilities) };
}

/** The connections among these that are open. */
export function listsOf(links: readonly LinkUse[]): readonly ListedFor[] {
  return links.flatMap(({ link: { connection }, profile }) =>
    connection === undefined ? [] : [listedFor(connection, profile)],
  );
}
