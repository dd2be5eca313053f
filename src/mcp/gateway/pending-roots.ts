import { setTimeout } from "node:timers/promises";
import { waitAtMost } from "../../contract/system-clock.js";
import type { AnswerServer, ServerConnection } from "../client/server-connection.js";

/** A host that does not answer must not keep the server from working. */
const patienceMs = 2000;
/** Nothing tells when a server has taken in the roots that it was given; most look at each folder first. */
const takeInMs = 100;

/**
 * Servers ask for roots when they start, and refuse calls that come before the answer. A host that connects directly
 * has given it before its first call, so a connection is ready when it has.
 */
export class PendingRoots {
  readonly answer: AnswerServer;
  readonly #pending = new Set<Promise<unknown>>();
  #asked = 0;

  constructor(answer: AnswerServer) {
    this.answer = (request, calls) => {
      const answering = answer(request, calls);
      if (request.method === "roots/list") this.#note(answering);
      return answering;
    };
  }

  /** Wait until the server knows the roots that it asked for, if it did. */
  async settle(connection: ServerConnection): Promise<void> {
    if (connection.verdict.kind !== "legacy") return; // asks with its answers to calls
    const answered = async (): Promise<void> => {
      await connection.request("ping", {}).catch(() => undefined); // what it asked at its start has come by then
      if (this.#asked === 0) return;
      await Promise.allSettled(this.#pending);
      await setTimeout(takeInMs);
    };
    await waitAtMost(answered(), patienceMs);
  }

  #note(answering: Promise<unknown>): void {
    this.#asked += 1;
    this.#pending.add(answering);
    const forget = (): void => void this.#pending.delete(answering);
    answering.then(forget, forget);
  }
}
