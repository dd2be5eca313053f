import type { Msg } from "@nats-io/transport-node";
import type { ToolEnvelope } from "../../contract/call.js";
import { ToolError, ToolInternalError } from "../../contract/errors.js";
import type { HostAnswer } from "../../contract/host.js";
import { withinTime } from "../../contract/system-clock.js";
import { messageOf } from "../../contract/message-of.js";
import type { ToolProgress } from "../../contract/tool.js";
import { unpack } from "../bus/carry.js";
import { fleetAway } from "../bus/fleet-error.js";
import type { Bus } from "../bus/open-bus.js";
import type { Roster } from "../bus/roster.js";
import { createProofs, type FrontKey } from "../keys.js";
import { noteSchema, outcomeSchema } from "../protocol.js";
import { askHost, failedAnswer, notBegun, notPlaced, publishFault, unknownOutcome } from "./call-facts.js";
import {
  limitOf,
  newPending,
  nextCheck,
  withTimeLeft,
  type AskTaken,
  type FleetCall,
  type Pending,
} from "./pending-call.js";
import { prepareCall, type Prepared } from "./prepare-call.js";
import { BatchSigner } from "./batch-signer.js";
import { SendTurns, type SendTurn } from "./send-turns.js";

export interface FrontCallsOptions {
  readonly bus: Bus;
  readonly roster: Roster;
  readonly key: FrontKey;
  readonly id: string;
  /** Make sure that somebody owns the workspace. Throws where nobody can. */
  readonly place: (workspace: string) => Promise<unknown>;
  readonly taken: AskTaken;
  readonly version?: number | undefined;
  readonly onFault: (cause: unknown) => void;
}

const lookEveryMs = 250;
/** How long the stream may take to say whether it has the outcome of a call that is given up. */
const lastLookMs = 400;
/** How long the stream may take to say that it has a call. */
const ackMs = 900;
/** How long a workspace whose worker is gone may take to find another. */
const takeOverMs = 15_000;

/** The calls that this front has sent and not answered yet. */
export class FrontCalls {
  readonly #options: FrontCallsOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #timer: NodeJS.Timeout;
  readonly #stop: (() => void)[] = [];
  /** Since when a workspace has had no owner. */
  readonly #orphaned = new Map<string, number>();
  readonly #turns = new SendTurns();
  readonly #newProof = createProofs();
  readonly #signer: BatchSigner;

  constructor(options: FrontCallsOptions) {
    this.#options = options;
    const { bus, id, onFault } = options;
    this.#signer = new BatchSigner(options);
    const subscription = bus.connection.subscribe(bus.names.front(id), {
      callback: (error, message) => {
        if (error === null) void this.#take(message);
        else onFault(error);
      },
    });
    this.#stop.push(
      () => void (subscription.isClosed() || subscription.unsubscribe()),
      bus.onOnline(() => this.#catchUp()),
    );
    this.#timer = setInterval(() => {
      this.#look().catch(onFault);
      this.#checkLimits().catch(onFault);
    }, lookEveryMs);
    this.#timer.unref();
  }

  get size(): number {
    return this.#pending.size;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const stop of this.#stop) stop();
    for (const pending of this.#pending.values())
      this.#fail(pending, unknownOutcome(pending, "This front is closing"));
  }

  /** Carry a call to the owner of its workspace; never rejects. */
  async run(call: FleetCall): Promise<HostAnswer> {
    const turn = this.#turns.take(`${call.workspace} ${call.session.id}`);
    const answered = new Promise<HostAnswer>((settle) => {
      const pending = newPending(call, this.#newProof(), settle);
      this.#pending.set(call.id, pending);
      this.#send(pending, turn).catch((cause: unknown) => this.#fail(pending, cause));
    });
    const cancel = (): void => this.#cancel(call.id, { reason: messageOf(call.signal.reason) });
    call.signal.addEventListener("abort", cancel, { once: true });
    try {
      return await answered;
    } finally {
      call.signal.removeEventListener("abort", cancel);
      turn.leave(); // one that was given up must not hold up those after it
    }
  }

  /** Nobody is there to take the answer; the call goes on unless it waits for a person. */
  callerGone(callId: string): void {
    this.#cancel(callId, { gone: true });
  }

  #cancel(callId: string, how: { readonly reason?: string; readonly gone?: boolean }): void {
    const { bus } = this.#options;
    const pending = this.#pending.get(callId);
    if (pending === undefined || !bus.isOnline()) return;
    bus.connection.publish(bus.names.cancel(callId), JSON.stringify({ proof: pending.proof, ...how }));
  }

  async #send(pending: Pending, { before, leave }: SendTurn): Promise<void> {
    try {
      const message = await this.#prepare(pending);
      await before;
      const sending = this.#publish(pending, message);
      leave();
      await sending;
    } finally {
      leave();
    }
  }

  async #prepare(pending: Pending): Promise<Prepared> {
    const { bus, place } = this.#options;
    const { call, proof } = pending;
    call.signal.throwIfAborted();
    if (!bus.isOnline()) throw fleetAway("NATS cannot be reached, so the call was not made.");
    await place(call.workspace);
    return prepareCall(this.#options, withTimeLeft(pending), proof).catch((cause: unknown) => {
      if (cause instanceof ToolError) throw cause;
      throw fleetAway(`NATS did not take what the call brings along: ${messageOf(cause)}`);
    });
  }

  async #publish(pending: Pending, prepared: Prepared): Promise<void> {
    const { bus } = this.#options;
    const { subject, payload } = prepared;
    const headers = await this.#signer.sign(prepared);
    if (!this.#pending.has(pending.call.id)) return; // its caller was told that it was not made
    pending.isSent = true;
    try {
      const { id } = pending.call;
      pending.seq = await bus.publisher.publish(subject, payload, { id, headers, timeoutMs: ackMs });
    } catch (cause) {
      throw publishFault(pending, cause);
    }
    if (pending.call.signal.aborted)
      this.#cancel(pending.call.id, { reason: messageOf(pending.call.signal.reason) });
  }

  async #take(message: Msg): Promise<void> {
    try {
      await this.#hear(message);
    } catch (cause) {
      this.#options.onFault(cause);
    }
  }

  async #hear(message: Msg): Promise<void> {
    const [what, callId = ""] = message.subject.split(".").slice(-2);
    const pending = this.#pending.get(callId);
    if (pending === undefined) return; // answered already, or not ours
    if (what === "outcome") return this.#finish(pending, await unpack(this.#options.bus, message.data));
    const note = noteSchema.safeParse(await unpack(this.#options.bus, message.data));
    if (!note.success || note.data.proof !== pending.proof) return;
    const { progress, method, params = {} } = note.data;
    const client = pending.call.client?.forCall?.(callId) ?? pending.call.client;
    if (what === "progress") pending.call.onProgress?.(progress as ToolProgress);
    else if (what === "note" && method !== undefined) client?.notify?.(method, params);
    else if (what === "ask" && method !== undefined) {
      const { signal } = (pending.over ??= new AbortController());
      await askHost(message, client, { method, params, signal });
    }
  }

  #finish(pending: Pending, body: unknown): void {
    const read = outcomeSchema.safeParse(body);
    // Only who has read the call knows its proof: an outcome of anybody else is none.
    if (!read.success || read.data.proof !== pending.proof) return;
    const { envelope, wrapped, maxChars } = read.data;
    this.#settle(pending, { envelope: envelope as unknown as ToolEnvelope, wrapped, maxChars });
  }

  #settle(pending: Pending, answer: HostAnswer): void {
    this.#pending.delete(pending.call.id);
    pending.over?.abort(new ToolInternalError("The call is over."));
    pending.settle(answer);
  }

  #fail(pending: Pending, cause: unknown): void {
    if (this.#pending.has(pending.call.id)) this.#settle(pending, failedAnswer(pending.call, cause));
  }

  /** Outcomes that were published while this front was cut off are in their stream. */
  async #catchUp(): Promise<void> {
    for (const pending of this.#pending.values()) await this.#fetch(pending);
  }

  async #fetch(pending: Pending): Promise<void> {
    const { bus, id } = this.#options;
    const subject = bus.names.outcome(id, pending.call.id);
    const stored = await bus.manager.streams
      .getMessage(bus.names.outcomes, { last_by_subj: subject })
      .catch(() => null);
    if (stored !== null) this.#finish(pending, await unpack(bus, stored.data));
  }

  /** Calls whose workspace has lost its owner: another takes it, or their callers are told. */
  async #look(): Promise<void> {
    const { bus, roster, place } = this.#options;
    if (!bus.isOnline()) return;
    const names = new Set(
      [...this.#pending.values()].filter(({ seq }) => seq !== undefined).map(({ call }) => call.workspace),
    );
    for (const name of this.#orphaned.keys()) if (!names.has(name)) this.#orphaned.delete(name);
    for (const name of names) {
      if (roster.ownerOf(name) !== undefined) {
        this.#orphaned.delete(name);
        continue;
      }
      const since = this.#orphaned.get(name) ?? performance.now();
      this.#orphaned.set(name, since);
      try {
        await place(name);
      } catch (cause) {
        const canBeTaken = roster.workspaces.get(name)?.value.volume !== undefined;
        if (canBeTaken && performance.now() - since < takeOverMs) continue;
        await this.#giveUp(name, cause);
      }
    }
  }

  /** A caller waits no longer than its limit, whatever its worker does. */
  async #checkLimits(): Promise<void> {
    const now = performance.now();
    const late = [...this.#pending.values()].filter(({ checkAt }) => checkAt <= now);
    await Promise.all(late.map((pending) => this.#checkLimit(pending)));
  }

  async #checkLimit(pending: Pending): Promise<void> {
    pending.checkAt = Infinity;
    const { workspace, id, timeoutMs } = pending.call;
    const { bus, roster, taken } = this.#options;
    const owner = bus.isOnline() ? roster.ownerOf(workspace) : undefined;
    const args = timeoutMs === undefined ? [id] : [id, pending.proof];
    const asking = owner === undefined ? undefined : taken(owner, workspace, args).catch(() => undefined);
    // A caller with a limit has no time for one after the other.
    const [found] = await Promise.all([asking, timeoutMs !== undefined && this.#lookUp(pending)]);
    if (typeof found === "object" && found.isTakenBack === true)
      return this.#fail(pending, notBegun(limitOf(pending.call)));
    const next = nextCheck(pending, owner === undefined ? false : found);
    if (next !== undefined) return void (pending.checkAt = next);
    // Its outcome may have come since.
    if (found !== undefined || timeoutMs === undefined) await this.#lookUp(pending);
    this.#abandon(pending);
  }

  async #lookUp(pending: Pending): Promise<void> {
    const { bus, onFault } = this.#options;
    if (!pending.isSent || !bus.isOnline()) return;
    await withinTime(() => this.#fetch(pending), lastLookMs, "Looking for an outcome").catch(onFault);
  }

  /** Nobody knows how a call that was sent ended; should it still run, nobody waits for it. */
  #abandon(pending: Pending): void {
    const { call, isSent } = pending;
    const limit = limitOf(call);
    if (!isSent) return this.#fail(pending, notPlaced(call.workspace, limit));
    this.#cancel(call.id, { reason: "Its caller is no longer waiting." });
    this.#fail(pending, unknownOutcome(pending, `No worker answered within ${limit} ms`));
  }

  /** What nobody has begun is taken back; of the rest nobody knows. */
  async #giveUp(workspace: string, cause: unknown): Promise<void> {
    const { bus } = this.#options;
    for (const pending of this.#pending.values()) {
      if (pending.call.workspace !== workspace || pending.seq === undefined) continue;
      await this.#fetch(pending);
      await bus.manager.streams.deleteMessage(bus.names.calls, pending.seq).catch(() => false);
      this.#fail(pending, unknownOutcome(pending, messageOf(cause)));
    }
  }
}
