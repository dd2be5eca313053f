import type { ToolEnvelope } from "../../contract/call.js";
import { valueSize } from "../../contract/value-size.js";

/** An answer, and whose it is. */
export interface KeptAnswer {
  readonly envelope: ToolEnvelope;
  readonly principal: string;
}

interface Slot extends KeptAnswer {
  readonly chars: number;
}

export interface KeptAnswersLimits {
  readonly maxAnswers?: number | undefined;
  readonly maxChars?: number | undefined;
}

/** As many are kept however large they are: callers that were cut off together come back together. */
const minAnswers = 8;

/**
 * The last answers: so many, and so many characters of results in all. Without the second limit a few hundred large results would
 * stay in memory, and each of them outlives the quick collections of garbage, which then cost as much as the call. A ring, as V8
 * keeps alive what earlier tables of a map held.
 */
export class KeptAnswers {
  readonly #slots: (Slot | undefined)[] = [];
  readonly #maxAnswers: number;
  readonly #maxChars: number;
  /** How many were added and dropped so far; their difference is in the ring. */
  #added = 0;
  #dropped = 0;
  #chars = 0;

  constructor({ maxAnswers = 256, maxChars = 256 * 1024 }: KeptAnswersLimits = {}) {
    this.#maxAnswers = maxAnswers;
    this.#maxChars = maxChars;
  }

  add({ envelope, principal }: KeptAnswer): void {
    const chars = valueSize(envelope.result, this.#maxChars);
    if (this.#added - this.#dropped === this.#maxAnswers) this.#dropOldest();
    this.#slots[this.#added % this.#maxAnswers] = { envelope, principal, chars };
    this.#added += 1;
    this.#chars += chars;
    while (this.#chars > this.#maxChars && this.#added - this.#dropped > minAnswers) this.#dropOldest();
  }

  find(callId: string): KeptAnswer | undefined {
    return this.#slots.find((slot) => slot?.envelope.callId === callId);
  }

  #dropOldest(): void {
    const at = this.#dropped % this.#maxAnswers;
    this.#chars -= this.#slots[at]?.chars ?? 0;
    this.#slots[at] = undefined;
    this.#dropped += 1;
  }
}
