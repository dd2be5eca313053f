import type { ToolEnvelope } from "../../contract/call.js";
import type { AuditLog, AuditRecord } from "../../contract/ports/audit.js";
import type { CallRecord, Recorder } from "../../contract/ports/recorder.js";
import { envelopeOf } from "../audit/envelope-of.js";
import type { Tasks } from "../tasks/tasks.js";
import { KeptAnswers } from "./kept-answers.js";
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
