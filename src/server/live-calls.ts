import type { TenonEvent } from "../contract/events.js";
import { LinkedList, type ListEntry } from "../contract/linked-list.js";
import { TransientMap } from "../contract/transient-map.js";
import type { LiveCall } from "./api.js";
import { boundValue, type ShownLimits } from "./bound-value.js";
import type { SeesSession } from "./request-person.js";

export interface LiveCallsOptions {
  /** Calls that are kept; those that ended first go first. @default 10000 */
  readonly maxCalls?: number | undefined;
  /** Characters of arguments and output of all kept calls. @default 33554432 */
  readonly maxChars?: number | undefined;
}

type Shown = { -readonly [Key in keyof LiveCall]: LiveCall[Key] };

interface Kept {
  readonly call: Shown;
  /** How many were added before it. */
  readonly order: number;
  chars: number;
  /** Its place among those that ended. */
  ended: ListEntry<Kept> | undefined;
}
type CallPayload = Extract<TenonEvent, { type: "TOOL_CALL_REQUESTED" | "TOOL_CALL_FAILED" }>["payload"];

const argumentLimits: ShownLimits = { text: 2_000, items: 50, depth: 8, total: 4_000 };
const maxOutput = 64 * 1024;
/** Of the output of running calls in one list. */
const maxListed = 1024 * 1024;

/** Running and recent calls, put together from their events. */
export class LiveCalls {
  readonly #maxCalls: number;
  readonly #maxChars: number;
  /**
   * Those that have not ended, by id. One map of all would be large and lose an entry with each call, so that V8 copied
   * its table every few thousand calls, and kept the old ones until the next full collection.
   */
  readonly #running = new TransientMap<string, Kept>();
  /** Those that ended, the first to end first. */
  readonly #ended = new LinkedList<Kept>();
  #added = 0;
  #chars = 0;

  constructor(options: LiveCallsOptions = {}) {
    this.#maxCalls = options.maxCalls ?? 10_000;
    this.#maxChars = options.maxChars ?? 32 * 1024 * 1024;
  }

  take({ type, time, payload }: TenonEvent): void {
    switch (type) {
      case "TOOL_CALL_REQUESTED":
        this.#add(payload, time);
        return;
      case "TOOL_CALL_STARTED":
        this.#change(payload.callId, (call) => {
          call.startedAt ??= time;
          call.state = "running";
        });
        return;
      case "TOOL_CALL_PROGRESS":
        if (payload.output !== undefined) this.#append(payload.callId, payload.output);
        return;
      case "TOOL_CALL_COMPLETED":
        this.#end(payload.callId, time, undefined);
        return;
      case "TOOL_CALL_FAILED":
        if (this.#find(payload.callId) === undefined) this.#add({ ...payload, arguments: undefined }, time);
        this.#end(payload.callId, time, payload.error);
        return;
      case "APPROVAL_REQUESTED":
      case "QUESTION_ASKED":
        this.#change(payload.callId, (call) => {
          call.askedAt = time;
          delete call.answeredAt;
          call.state = "asking";
        });
        return;
      case "APPROVAL_RESOLVED":
      case "QUESTION_ANSWERED":
        this.#change(payload.callId, (call) => {
          if ("verdict" in payload) call.approval = payload;
          call.answeredAt = time;
          call.state = call.startedAt === undefined ? "waiting" : "running";
        });
        return;
    }
  }

  /** How many have not ended. */
  get unfinished(): number {
    return this.#running.size;
  }

  /** Those that have not ended. */
  running(): readonly Pick<LiveCall, "callId" | "sessionId">[] {
    return [...this.#running.values()].map(({ call }) => call);
  }

  /** By its id, or by the newest use of the id that its caller gave it. */
  get(id: string, sees: SeesSession = () => true): LiveCall | undefined {
    const byId = this.#find(id)?.call;
    if (byId !== undefined) return sees(byId.sessionId) ? shown(byId) : undefined;
    const found = this.#inOrder().findLast((call) => call.requestId === id && sees(call.sessionId));
    return found && shown(found);
  }

  /** Newest first; with the output of running calls, up to the limit. */
  list(limit: number, sees?: SeesSession): LiveCall[] {
    const all = this.#inOrder();
    const seen = sees === undefined ? all : all.filter(({ sessionId }) => sees(sessionId));
    const calls = seen.slice(-limit).toReversed();
    let left = maxListed;
    return calls.map((call) => {
      const { output, ...rest } = shown(call);
      if (output === undefined || call.endedAt !== undefined || left < output.length) return rest;
      left -= output.length;
      return { ...rest, output };
    });
  }

  #add(payload: CallPayload, time: number): void {
    const { callId, toolName, sessionId, agent, client, taskId, parentCallId, requestId } = payload;
    const { value: args, chars } = boundValue(
      "arguments" in payload ? payload.arguments : undefined,
      argumentLimits,
    );
    const before = this.#running.get(callId);
    if (before !== undefined) this.#forget(before); // told twice: what is counted must be what is there
    const state = "waiting";
    const call: Shown = { callId, toolName, sessionId, agent, requestedAt: time, state, arguments: args };
    if (client !== undefined) call.client = client;
    if (taskId !== undefined) call.taskId = taskId;
    if (parentCallId !== undefined) call.parentCallId = parentCallId;
    if (requestId !== undefined) call.requestId = requestId;
    const kept: Kept = { call, order: this.#added++, chars: 500 + chars, ended: undefined };
    this.#running.set(callId, kept);
    this.#chars += kept.chars;
    this.#makeRoom();
  }

  #append(callId: string, piece: string): void {
    this.#change(callId, (call, kept) => {
      const before = call.output?.length ?? 0;
      const output = (call.output ?? "") + piece.slice(-maxOutput);
      // Cut only at twice the size: cutting copies, and pieces may be small.
      call.output = output.length > 2 * maxOutput ? output.slice(-maxOutput) : output;
      const grown = call.output.length - before;
      kept.chars += grown;
      this.#chars += grown;
    });
    if (this.#chars > this.#maxChars) this.#makeRoom();
  }

  #end(callId: string, time: number, error: LiveCall["error"]): void {
    this.#change(callId, (call, kept) => {
      call.endedAt = time;
      call.state = error === undefined ? "succeeded" : "failed";
      if (error !== undefined) {
        const { code, message, hint } = error;
        const short = { code, message: message.slice(0, 4_000) };
        call.error = hint === undefined ? short : { ...short, hint: hint.slice(0, 2_000) };
      }
      this.#running.delete(callId);
      kept.ended = this.#ended.add(kept);
    });
  }

  #change(callId: string, change: (call: Shown, kept: Kept) => void): void {
    const kept = this.#running.get(callId);
    if (kept !== undefined) change(kept.call, kept);
  }

  #find(callId: string): Kept | undefined {
    const running = this.#running.get(callId);
    if (running !== undefined) return running;
    for (const kept of this.#ended) if (kept.call.callId === callId) return kept;
    return undefined;
  }

  /** All of them, the first to be added first. */
  #inOrder(): readonly Shown[] {
    const all = [...this.#ended, ...this.#running.values()].sort((one, other) => one.order - other.order);
    return all.map(({ call }) => call);
  }

  /** What ended goes first; where nothing ended, the oldest of all. */
  #makeRoom(): void {
    const count = (): number => this.#running.size + this.#ended.size;
    while (count() > this.#maxCalls || (this.#chars > this.#maxChars && count() > 1)) {
      const oldest = this.#ended.first ?? this.#running.values().next().value;
      if (oldest === undefined) return;
      this.#forget(oldest);
    }
  }

  #forget(kept: Kept): void {
    this.#chars -= kept.chars;
    if (kept.ended === undefined) this.#running.delete(kept.call.callId);
    else this.#ended.remove(kept.ended);
  }
}

function shown({ output, ...call }: Shown): LiveCall {
  return output === undefined ? call : { ...call, output: output.slice(-maxOutput) };
}
