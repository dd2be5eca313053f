import type { ServerResponse } from "node:http";
import type { WireMessage } from "../../wire/json-rpc.js";
import { answerText } from "./answer-text.js";
import { EventStream, eventOf } from "./event-stream.js";
import { sendWhole } from "./paced-response.js";
import { RunningCall } from "./running-calls.js";

export interface ClientCallOptions {
  readonly maxUnread: number;
  /** The response is closed. */
  readonly onClose: () => void;
}

/**
 * A plain call of 2026-07-28 while it runs, and the response that it is answered on: one JSON text, or a stream of
 * events where the call has something to say before it is done.
 */
export class ClientCall {
  readonly running = new RunningCall();
  readonly #options: ClientCallOptions;
  /** Let go once it is closed: what outlives the call would keep it and its request. */
  #response: ServerResponse | undefined;
  #stream: EventStream | undefined;
  #isOver = false;

  constructor(response: ServerResponse, options: ClientCallOptions) {
    this.#response = response;
    this.#options = options;
    const leave = (): void => this.#leave();
    if (response.closed || response.destroyed) queueMicrotask(leave);
    else response.once("close", leave);
  }

  /** Tell the host something before the answer. */
  readonly notify = (notification: object): Promise<void> => {
    if (this.#isOver || this.#response === undefined) return Promise.resolve();
    if (this.#stream === undefined)
      (this.#stream = new EventStream(this.#response, this.#options.maxUnread)).open();
    this.#stream.write(eventOf(JSON.stringify({ jsonrpc: "2.0", ...notification })), false);
    return Promise.resolve();
  };

  /** Send the answer. */
  finish(answer: WireMessage): void {
    this.#isOver = true;
    if (this.#response === undefined) return;
    const text = answerText(answer);
    if (this.#stream !== undefined) return this.#stream.end(eventOf(text));
    const maxBytes = this.#options.maxUnread;
    sendWhole(this.#response, { status: statusOf(answer), headers: jsonHeaders, text, maxBytes });
  }

  #leave(): void {
    this.#response = this.#stream = undefined;
    this.#options.onClose();
    if (!this.#isOver) this.running.abort("The host has disconnected.");
  }
}

const jsonHeaders: readonly string[] = ["content-type", "application/json"];

/** A host that cannot do what a call needs is told by the status too. */
const lacksCapability = -32021;

function statusOf({ error }: WireMessage): number {
  if (error === undefined) return 200;
  return (Object(error) as { code?: unknown }).code === lacksCapability ? 400 : 200;
}
