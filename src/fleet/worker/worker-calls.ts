import type { JsMsg } from "@nats-io/jetstream";
import type { ToolEnvelope } from "../../contract/call.js";
import { ToolCancelledError } from "../../contract/errors.js";
import type { HostAnswer, HostSession } from "../../contract/host.js";
import { messageOf } from "../../contract/message-of.js";
import { interruptedError } from "../../record/audit/interrupted.js";
import { isWrapped } from "../../runtime/mcp-host/wire-catalogue.js";
import type { Tenon } from "../../runtime/tenon.js";
import { unpack } from "../bus/carry.js";
import type { Bus } from "../bus/open-bus.js";
import { readSigned, RefusedMessage, type ReadOptions } from "../bus/signed.js";
import { callSchema, type CallMessage, type CancelMessage, type TakenCall } from "../protocol.js";
import { waitedForPerson, watchLimit, type RunningCall } from "./call-limit.js";
import type { CallSlots } from "./call-slots.js";
import {
  interruptedEnvelope,
  isPassing,
  publishOutcome,
  refused,
  retryMs,
  startLimit,
  tellProgress,
  timeLeft,
  toAgain,
  toCancelled,
  tooLate,
  tooMany,
} from "./call-outcomes.js";
import { TakenMessages } from "./taken-messages.js";

export interface WorkerCallsOptions extends ReadOptions {
  readonly bus: Bus;
  readonly worker: string;
  readonly workspace: string;
  readonly tenon: Tenon;
  readonly session: (call: CallMessage) => HostSession;
  readonly slots: CallSlots;
  /** The server's time. */
  readonly now: () => number;
  /** Whether nobody can have begun the call of a message before. */
  readonly isNew: (message: JsMsg) => boolean;
  readonly onFault: (cause: unknown) => void;
}

const workingEveryMs = 10_000;

/** Runs the calls of one workspace: those of a session begin in the order in which they were sent. */
export class WorkerCalls {
  readonly #options: WorkerCallsOptions;
  readonly #running = new Map<string, RunningCall>();
  readonly #messages = new TakenMessages();
  /** Calls that their callers took back before they began. */
  readonly #cancelled = new WeakMap<JsMsg, CancelMessage>();
  readonly #turns = new Map<string, Promise<void>>();
  readonly #beat: NodeJS.Timeout;
  #stopped = false;
  #lost = false;

  constructor(options: WorkerCallsOptions) {
    this.#options = options;
    this.#beat = setInterval(() => {
      for (const message of this.#messages) message.working();
    }, workingEveryMs);
    this.#beat.unref();
  }

  /** Calls that were taken and are not answered yet. */
  get size(): number {
    return this.#messages.size;
  }

  /**
   * What is known of a call that was taken and is not answered yet; `false` where there is none.
   * @param proof Of a call whose limit is over: where it has not begun, it never will.
   */
  async taken(callId: string, proof?: string): Promise<TakenCall | false> {
    const message = this.#messages.find(callId);
    if (message === undefined) return false;
    const running = this.#running.get(callId);
    if (running !== undefined)
      return { waitedForPersonMs: await waitedForPerson(this.#options.tenon, running) };
    // Of one that came before, another worker may have begun it.
    const isTakenBack = proof !== undefined && this.#options.isNew(message);
    if (isTakenBack) this.#cancelled.set(message, { proof, reason: "Its caller is no longer waiting." });
    return { waitedForPersonMs: 0, isTakenBack };
  }

  /** The call that runs under an id. */
  find(callId: string): CallMessage | undefined {
    return this.#running.get(callId.replace(/_again$/, ""))?.call;
  }

  /** Take a message; it begins when those before it in its session have begun. */
  take(message: JsMsg): void {
    if (this.#stopped) return; // it stays in the stream for who comes next
    const { subject } = message;
    this.#messages.add(message);
    const before = this.#turns.get(subject) ?? Promise.resolve();
    const turn = before
      .then(() => this.#begin(message))
      .catch((cause: unknown) => {
        this.#messages.delete(message);
        this.#options.onFault(cause);
      });
    this.#turns.set(subject, turn);
    void turn.then(() => this.#turns.get(subject) === turn && this.#turns.delete(subject));
  }

  /** Cancel a call, also one that has not begun, or only the questions that it puts to people. */
  cancel(callId: string, how: CancelMessage): void {
    const running = this.#running.get(callId);
    const message = this.#messages.find(callId);
    if (running === undefined) return void (message && this.#cancelled.set(message, how));
    if (running.call.proof !== how.proof) return;
    if (how.gone === true) running.session.callerGone(running.id);
    else running.controller.abort(toCancelled(how));
  }

  /** Take no more; what runs goes on. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#beat);
  }

  /** The lease is lost: what runs must not go on. */
  abort(reason: string): void {
    this.stop();
    this.#lost = true;
    for (const { controller } of this.#running.values()) controller.abort(new ToolCancelledError(reason));
  }

  /** A database that is away must not cost a call, nor let those after it overtake it. */
  async #begin(message: JsMsg): Promise<void> {
    while (!this.#stopped) {
      try {
        return await this.#beginNow(message);
      } catch (cause) {
        if (!isPassing(cause)) throw cause;
        this.#options.onFault(cause);
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
      }
    }
    this.#messages.delete(message);
  }

  async #beginNow(message: JsMsg): Promise<void> {
    const call = await this.#read(message);
    if (call === undefined) return this.#messages.delete(message);
    if (this.#running.has(call.callId)) return this.#messages.delete(message); // it was sent to us twice
    const { now, isNew, slots, onFault } = this.#options;
    const earlier = isNew(message) ? undefined : await this.#earlier(call);
    if (earlier?.answer !== undefined) return this.#finish(message, call, earlier.answer);
    const id = earlier?.again === true ? toAgain(call.callId) : call.callId;
    const principal = call.session.principal ?? "local";
    const uncount = slots.count(principal);
    if (uncount === undefined) return this.#finish(message, call, tooMany(call, principal));
    const waitedMs = (): number => now() - message.time.getTime();
    const leave = await slots.take(call.session.priority ?? "normal", startLimit(call) - waitedMs());
    const done = (): void => {
      uncount();
      leave?.();
    };
    const left = leave && timeLeft(call, waitedMs());
    if (this.#stopped || left === undefined) {
      done();
      if (this.#stopped) return this.#messages.delete(message);
      const interrupted = earlier && this.#toAnswer(interruptedEnvelope(call, call.name));
      return this.#finish(message, call, interrupted ?? tooLate(call));
    }
    void this.#run(message, { ...call, ...left }, id)
      .catch(onFault)
      .finally(done);
  }

  async #read(message: JsMsg): Promise<CallMessage | undefined> {
    const { bus, workspace, onFault } = this.#options;
    try {
      const writtenAt = message.time.getTime();
      const call = await readSigned(message, callSchema, { ...this.#options, writtenAt });
      const { id, priority } = call.session;
      const subjects = [bus.names.call(workspace, id), bus.names.call(workspace, id, priority)];
      const isItsOwn = call.workspace === workspace && subjects.includes(message.subject);
      if (!isItsOwn)
        throw new RefusedMessage("A call was sent for another session or workspace.", { isReplay: true });
      // The stream drops ids that it had, so that nobody can send a call again within the time in which it is accepted.
      if (message.headers?.get("Nats-Msg-Id") !== call.callId)
        throw new RefusedMessage("A call was sent under another id.", { isReplay: true });
      return call;
    } catch (cause) {
      if (isPassing(cause)) throw cause;
      onFault(cause);
      if (cause instanceof RefusedMessage && cause.isReplay) message.ack();
      else await this.#refuse(message, messageOf(cause));
      return undefined;
    }
  }

  /** The sender is told, as far as the message says who that is. */
  async #refuse(message: JsMsg, reason: string): Promise<void> {
    const { bus } = this.#options;
    const read = callSchema.safeParse(await unpack(bus, message.data).catch(() => undefined));
    // A message that is only terminated would stay in the stream. Of ids that were used before the stream takes none,
    // so the true call cannot be refused by a forged one.
    const isFirst = read.success && message.headers?.get("Nats-Msg-Id") === read.data.callId;
    if (!isFirst || this.#running.has(read.data.callId)) return message.ack();
    await this.#finish(message, read.data, refused(read.data, reason));
  }

  /** What the log has of a call that another worker may have begun. */
  async #earlier(
    call: CallMessage,
  ): Promise<{ readonly answer?: HostAnswer; readonly again?: boolean } | undefined> {
    const { tenon } = this.#options;
    const principal = call.session.principal ?? "local";
    const known = await tenon.result(call.callId, { principal });
    if (known === undefined) return undefined;
    const isInterrupted =
      known.state === "running" ||
      (!known.envelope.success && known.envelope.error.code === interruptedError.code);
    const again = await tenon.result(toAgain(call.callId), { principal });
    if (again?.state === "done") return { answer: this.#toAnswer(again.envelope) };
    if (!isInterrupted) {
      // Another worker took it and lost the workspace before it began.
      const wasBegun = known.envelope.success || (await tenon.audit.started?.(call.callId)) !== undefined;
      return wasBegun ? { answer: this.#toAnswer(known.envelope) } : { again: true };
    }
    const toolName = known.state === "running" ? known.toolName : known.envelope.toolName;
    const { readOnly, idempotent } = tenon.registry.describe(toolName)?.annotations ?? {};
    // A key is looked after by the state: it knows whether the call can be made again.
    if (readOnly === true || idempotent === true || call.idempotencyKey !== undefined) return { again: true };
    return { answer: this.#toAnswer(interruptedEnvelope(call, toolName)) };
  }

  #toAnswer(envelope: ToolEnvelope): HostAnswer {
    const { config, registry } = this.#options.tenon;
    const description = registry.describe(envelope.toolName);
    const wrapped = description !== undefined && isWrapped(description);
    return { envelope, wrapped, maxChars: config.tools.output.maxTokens * 4 };
  }

  async #run(message: JsMsg, call: CallMessage, id: string): Promise<void> {
    const { bus, tenon, session: sessionOf } = this.#options;
    const controller = new AbortController();
    const session = sessionOf(call);
    const running = { call, id, controller, session };
    this.#running.set(call.callId, running);
    const endWatch = watchLimit(running, this.#options);
    const cancelled = this.#cancelled.get(message);
    if (cancelled?.proof === call.proof && cancelled.gone !== true) controller.abort(toCancelled(cancelled));
    const { name, arguments: args, idempotencyKey, taskId, timeoutMs } = call;
    try {
      const answer = await session.call({
        id: tenon.newCallId(id),
        name,
        arguments: args,
        idempotencyKey,
        taskId,
        timeoutMs,
        signal: controller.signal,
        ...(call.reports === true && { onProgress: (progress) => tellProgress(bus, call, progress) }),
      });
      await this.#finish(message, call, answer);
    } finally {
      endWatch();
      this.#running.delete(call.callId);
    }
  }

  /** Publish the outcome, then acknowledge the call: in this order, so that neither is lost. */
  async #finish(
    message: JsMsg,
    call: CallMessage,
    { envelope, wrapped, maxChars }: HostAnswer,
  ): Promise<void> {
    const { bus, worker } = this.#options;
    const { callId, proof, front } = call;
    // The next owner has the message, and the last word.
    if (this.#lost) return this.#messages.delete(message);
    const outcome = {
      callId,
      proof,
      worker,
      envelope: { ...envelope, content: envelope.content },
      wrapped,
      maxChars,
    };
    try {
      await publishOutcome(bus, front, outcome);
      await bus.endOfTurn();
      message.ack();
    } finally {
      this.#messages.delete(message);
    }
  }
}
