import type { ToolEnvelope } from "../../contract/call.js";
import type { AuditLog, AuditRecord } from "../../contract/ports/audit.js";
import type { CallRecord, Recorder } from "../../contract/ports/recorder.js";
import { valueSize } from "../../contract/value-size.js";
import { envelopeOf } from "../audit/envelope-of.js";
import type { Tasks } from "../tasks/tasks.js";
import type { RunningCalls } from "./running-calls.js";

/** The state of a call: its answer, or that it is running. */
export type CallResult =
  | {
      readonly state: "running";
      readonly callId: string;
      readonly toolName: string;
      readonly startedAt: number;
      /** Milliseconds in which it has waited for a person, where it runs in this process. */
      readonly waitedForPersonMs?: number;
    }
  | { readonly state: "done"; readonly callId: string; readonly envelope: ToolEnvelope };

/** Who asks for the answer of a call. */
export interface ResultOptions {
  /** The owner of the call; nobody else gets its answer. @default "local" */
  readonly principal?: string | undefined;
}

interface ResultSources {
  readonly running: RunningCalls;
  readonly log: AuditLog;
  /** Keeps the answers of tasks. */
  readonly tasks: Tasks;
}

/** Finds the answers of calls whose connection was lost: recent ones in memory, older ones in the log. */
export class Results implements Recorder {
  readonly name = "results";
  readonly #last = new KeptAnswers();
  readonly #running: RunningCalls;
  readonly #log: AuditLog;

  readonly #tasks: Tasks;

  constructor({ running, log, tasks }: ResultSources) {
    this.#running = running;
    this.#log = log;
    this.#tasks = tasks;
  }

  record({ envelope, taskId, parentCallId, principal = "local" }: CallRecord): void {
    if (taskId !== undefined) this.#tasks.add(taskId, envelope);
    if (parentCallId !== undefined) return;
    this.#last.add({ envelope, principal });
  }

  /** The call with that id, if it belongs to this principal. */
  async get(callId: string, { principal = "local" }: ResultOptions = {}): Promise<CallResult | undefined> {
    const own = this.#running.find(callId);
    if (own !== undefined) {
      if ((own.state.session.principal ?? "local") !== principal) return undefined;
      return {
        state: "running",
        callId,
        toolName: own.state.resolved?.entry.name ?? own.toolName,
        startedAt: own.state.startedAt,
        waitedForPersonMs: own.state.waitedForPersonMs,
      };
    }
    const kept = this.#last.find(callId);
    if (kept !== undefined)
      return kept.principal === principal ? { state: "done", callId, envelope: kept.envelope } : undefined;
    return this.#fromLog(callId, principal);
  }

  async #fromLog(callId: string, principal: string): Promise<CallResult | undefined> {
    const isOwn = (record: Pick<AuditRecord, "principal">): boolean =>
      (record.principal ?? "local") === principal;
    const record = await this.#log.get(callId);
    if (record?.callId === callId)
      return isOwn(record) ? { state: "done", callId, envelope: envelopeOf(record) } : undefined;
    const start = await this.#log.started?.(callId);
    if (start === undefined || !isOwn(start)) return undefined;
    return { state: "running", callId, toolName: start.tool, startedAt: start.time };
  }
}

/** An answer, and whose it is. */
interface KeptAnswer {
  readonly envelope: ToolEnvelope;
  readonly principal: string;
}

interface Slot extends KeptAnswer {
  readonly chars: number;
}

interface KeptAnswersLimits {
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
