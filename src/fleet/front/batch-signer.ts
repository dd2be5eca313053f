import type { MsgHdrs } from "@nats-io/transport-node";
import type { Roster } from "../bus/roster.js";
import { toHeaders, type SignOptions } from "../bus/signed.js";
import type { SignedMessage } from "../keys.js";
import { batchVersion, maxBatch, protocolVersion } from "../protocol.js";

export interface BatchSignerOptions extends SignOptions {
  readonly roster: Pick<Roster, "workers">;
}

interface Unsigned {
  readonly message: SignedMessage;
  readonly resolve: (headers: MsgHdrs) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Signs calls. Those of one turn of the event loop get one signature together, which costs a worker one check, and leave in
 * one write, in the order in which they came.
 */
export class BatchSigner {
  readonly #options: BatchSignerOptions;
  #unsigned: Unsigned[] = [];

  constructor(options: BatchSignerOptions) {
    this.#options = options;
  }

  sign(message: SignedMessage): Promise<MsgHdrs> {
    return new Promise((resolve, reject) => {
      if (this.#unsigned.push({ message, resolve, reject }) === 1) setImmediate(() => this.#signAll());
    });
  }

  #signAll(): void {
    const all = this.#unsigned;
    this.#unsigned = [];
    const size = this.#canBatch() ? maxBatch : 1;
    for (let at = 0; at < all.length; at += size) this.#signBatch(all.slice(at, at + size));
  }

  #signBatch(batch: readonly Unsigned[]): void {
    try {
      const signature = this.#options.key.sign(...batch.map(({ message }) => message));
      for (const { resolve } of batch) resolve(toHeaders(this.#options, signature));
    } catch (cause) {
      for (const { reject } of batch) reject(cause);
    }
  }

  /** Any worker may have to read a call: the owner of its workspace may change. */
  #canBatch(): boolean {
    const { roster, version = protocolVersion } = this.#options;
    return version >= batchVersion && roster.workers().every(({ protocol }) => protocol >= batchVersion);
  }
}
