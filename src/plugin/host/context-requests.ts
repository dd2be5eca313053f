import { ToolCancelledError, ToolExecutionError } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";
import type { JsonRpcPeer } from "../../wire/json-rpc-peer.js";
import { decode, encode, methods, type Answer, type ContextParams, type Note } from "../protocol.js";
import { fromWireError } from "../wire-error.js";

/** More reports in one turn of the event loop are dropped. */
const maxNotes = 10_000;
const maxNotesPerMessage = 1000;

/** The requests that calls in this process send to Tenon, each to the context of its own call. */
export class ContextRequests {
  readonly #peer: Pick<JsonRpcPeer, "request" | "notify">;
  readonly #calls = new Map<string, AbortController>();
  #notes: Note[] = [];

  constructor(peer: Pick<JsonRpcPeer, "request" | "notify">) {
    this.#peer = peer;
  }

  /** The context can be used from now on. */
  open(key: string): void {
    this.#calls.set(key, new AbortController());
  }

  /** The call is over: requests that are still open fail, and all reports have been sent. */
  close(key: string): void {
    this.#flush();
    this.#calls.get(key)?.abort();
    this.#calls.delete(key);
  }

  /** Call a member of the call's context. */
  async ask(
    key: string,
    path: readonly string[],
    { args, signal }: { readonly args: readonly unknown[]; readonly signal: AbortSignal },
  ): Promise<unknown> {
    const call = this.#calls.get(key);
    if (call === undefined) throw callIsOver();
    this.#flush();
    const params: ContextParams = { key, path, args: encode(args) as unknown[] };
    let answer: Answer;
    try {
      const either = AbortSignal.any([call.signal, signal]);
      answer = (await this.#peer.request(methods.context, { ...params }, either)) as Answer;
    } catch (error) {
      if (call.signal.aborted) throw callIsOver();
      if (signal.aborted) throw new ToolCancelledError();
      throw new ToolExecutionError(`ctx.${path.join(".")} failed: ${messageOf(error)}`, { cause: error });
    }
    if (answer.ok) return decode(answer.value);
    throw fromWireError(answer.error);
  }

  /** Report something without waiting for an answer; reports of one turn of the event loop go together. */
  note(key: string, kind: Note["kind"], args: readonly unknown[]): void {
    if (key !== "" && !this.#calls.has(key)) return;
    if (this.#notes.length >= maxNotes && kind !== "env") return;
    if (this.#notes.push({ key, kind, args: encode(args) as unknown[] }) === 1)
      setImmediate(() => this.#flush());
  }

  #flush(): void {
    const notes = this.#notes;
    this.#notes = [];
    for (let at = 0; at < notes.length; at += maxNotesPerMessage)
      this.#send(notes.slice(at, at + maxNotesPerMessage));
  }

  /** Reports that are too long together are sent in halves. */
  #send(notes: readonly Note[]): void {
    if (this.#peer.notify(methods.notes, { notes }) || notes.length === 1) return;
    const half = Math.ceil(notes.length / 2);
    this.#send(notes.slice(0, half));
    this.#send(notes.slice(half));
  }
}

function callIsOver(): ToolExecutionError {
  return new ToolExecutionError("The call is over, so its ctx can no longer be used.", {
    hint: "Await everything that the tool does through ctx before it returns.",
  });
}
