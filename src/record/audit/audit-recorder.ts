import type { CallRecord, CallStart, Recorder } from "../../contract/ports/recorder.js";
import { createAlertWatch, type AlertWatch } from "./alerts.js";
import { LogEnd, type LogEndOptions } from "./log-end.js";
import type { SegmentWriter } from "./segment-writer.js";
import { outcomeOf, type Begun, type RestMaker, type StartText } from "./to-rest.js";
import type { AuditAlert } from "../../contract/ports/audit.js";

export interface AuditRecorderOptions extends LogEndOptions {
  readonly rests: RestMaker;
  /** Sync before an answer leaves, instead of within 10 ms. */
  readonly strict: boolean;
  /** Whether no other call is under way that could share the write. */
  readonly running: { readonly isQuiet: boolean };
  readonly onAlert: (alert: AuditAlert) => void;
}

interface Pending {
  readonly record: CallRecord;
  readonly rest: string | Promise<string>;
}

/** Writes a record of every call before its answer leaves; calls that end together share one write. */
export class AuditRecorder implements Recorder {
  readonly name = "audit";
  readonly #options: AuditRecorderOptions;
  readonly #watch: AlertWatch;
  readonly #end: LogEnd;
  #pending: Pending[] = [];
  /** Calls that other calls made, since the last write. */
  #nested: Pending[] = [];
  /** A write of nested calls' records that waits for contents to be put aside; the answers above wait for it. */
  #aside: Promise<void> | undefined;
  #turn: NodeJS.Immediate | undefined;
  #round: Promise<void> | undefined;
  /** A record was just written by itself, and nothing but more calls of the same moment came since. */
  #hasWritten = false;
  /** Calls that have a start record and no end yet. */
  readonly #begun = new Map<string, Begun>();

  constructor(options: AuditRecorderOptions) {
    this.#options = options;
    this.#end = new LogEnd(options);
    this.#watch = createAlertWatch(options.onAlert);
  }

  /** Why records cannot be kept now. */
  get fault(): string | undefined {
    return this.#end.fault;
  }

  /** Whether anything was written, or is about to be. */
  get isOpen(): boolean {
    return this.#end.isOpen;
  }

  alerts(): readonly AuditAlert[] {
    return this.#watch.alerts();
  }

  /** Write that a call is about to run, before it does; throws or rejects where that cannot be done. */
  start(start: CallStart): Promise<void> | undefined {
    const text = this.#options.rests.toStart(start);
    if (!(text instanceof Promise)) return this.#begin(start.callId, text);
    return text
      .then((made) => this.#begin(start.callId, made))
      .catch((cause: unknown) => {
        this.#end.fail(cause);
        throw cause;
      });
  }

  #begin(callId: string, { rest, args }: StartText): Promise<void> | undefined {
    if (this.#end.fault !== undefined && this.#end.isResting) throw new Error(this.#end.fault);
    const sharing = this.#pending.length + this.#nested.length === 0 ? [] : this.#takeReady();
    try {
      const others = sharing.map((pending) => pending.rest);
      this.#begun.set(callId, { seq: this.#end.writeNow(rest, others), args });
    } catch (cause) {
      this.#tellFault(sharing);
      throw cause;
    }
    if (this.#options.strict) return this.#beginSynced();
    this.#end.syncSoon();
    return undefined;
  }

  async #beginSynced(): Promise<void> {
    await this.#end.syncShared();
    if (this.#end.fault !== undefined) throw new Error(this.#end.fault);
  }

  /** Waiting records that can be written together with a start record; in strict mode they are synced separately. */
  #takeReady(): (Pending & { readonly rest: string })[] {
    if (this.#options.strict || this.#aside !== undefined) return [];
    const waiting = [...this.#nested, ...this.#pending];
    if (!waiting.every(isReady)) return [];
    this.#nested = [];
    this.#pending = [];
    return waiting;
  }

  record(record: CallRecord): Promise<void> | undefined {
    const rest = this.#toRest(record);
    const { strict, running } = this.#options;
    if (record.parentCallId !== undefined) return this.#recordNested({ record, rest });
    // A call that runs alone need not wait for others that could share its write.
    const isFree = !strict && !this.#hasWritten && this.#round === undefined && this.#aside === undefined;
    if (typeof rest === "string" && isFree && running.isQuiet && this.#nested.every(isReady)) {
      // Calls that arrived together may end one by one without a wait between them: from the second on they share a write.
      this.#hasWritten = true;
      void settled.then(() => (this.#hasWritten = false));
      const nested = this.#nested.length === 0 ? [] : this.#takeNested();
      const before = nested.length === 0 ? [] : nested.filter(isReady).map(({ rest: text }) => text);
      this.#end.write([...before, rest]);
      this.#end.syncSoon();
      if (this.#end.fault !== undefined) this.#tellFault([...nested, { record, rest }]);
      return undefined;
    }
    this.#pending.push({ record, rest });
    return (this.#round ??= this.#writeRound());
  }

  /**
   * The answer of a nested call stays inside: it need not wait, since the answer of the call above it does.
   * What it did is done all the same, so its record goes with the next turn at the latest.
   */
  #recordNested(pending: Pending): undefined {
    this.#nested.push(pending);
    if (this.#turn !== undefined) return;
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      if (this.#nested.length > 0) this.#round ??= this.#writeRound();
    });
  }

  #takeNested(): Pending[] {
    const taken = this.#nested;
    this.#nested = [];
    return taken;
  }

  /** The log's end, open for writing. */
  writer(): SegmentWriter {
    return this.#end.writer();
  }

  /** Try again to write what could not be written; `true` if nothing is left over. */
  retry(): boolean {
    return this.#end.retry();
  }

  /** Resolves when all that was recorded so far is on disk. */
  async flush(): Promise<void> {
    await this.#settle();
    await this.#end.flush();
  }

  async close(): Promise<void> {
    await this.#settle();
    await this.#end.close();
  }

  /** Resolves when all that was recorded so far is written. */
  async #settle(): Promise<void> {
    if (this.#nested.length > 0) this.#round ??= this.#writeRound();
    await this.#round;
    await this.#aside;
  }

  async #writeRound(): Promise<void> {
    // The calls that end in this tick, or while the disk syncs for others, share one write.
    await (this.#options.strict ? this.#end.idle() : undefined);
    const nested = this.#takeNested();
    const batch = [...nested, ...this.#pending];
    this.#pending = [];
    this.#round = undefined;
    if (this.#aside === undefined && batch.every(isReady)) this.#end.write(batch.map(({ rest }) => rest));
    else await this.#writeLater(batch, nested.length > 0);
    if (this.#options.strict) await this.#end.syncNow();
    else this.#end.syncSoon();
    this.#tellFault(batch);
  }

  /** Write what is still being put aside, behind the nested calls that came before it. */
  async #writeLater(batch: readonly Pending[], hasNested: boolean): Promise<void> {
    const earlier = this.#aside;
    const write = async (): Promise<void> => {
      const rests = await Promise.all(batch.map(async ({ rest }) => rest));
      await earlier;
      this.#end.write(rests);
    };
    const written = write().finally(() => {
      if (this.#aside === written) this.#aside = undefined;
    });
    if (hasNested) this.#aside = written;
    return written;
  }

  /** An answer whose record could not be kept says so. */
  #tellFault(batch: readonly Pending[]): void {
    if (this.#end.fault === undefined) return;
    for (const { record } of batch) record.envelope.metadata["auditFault"] = this.#end.fault;
  }

  #toRest(record: CallRecord): string | Promise<string> {
    const { envelope, sessionId, agent } = record;
    const { callId, error } = envelope;
    this.#watch.see({
      time: envelope.startedAt,
      tool: envelope.toolName,
      sessionId,
      agent,
      outcome: outcomeOf(error),
      errorCode: error?.code,
    });
    const begun = this.#begun.get(callId);
    if (begun !== undefined) this.#begun.delete(callId);
    const rest = this.#options.rests.toRest(record, begun);
    return typeof rest === "string" ? rest : rest.then((text) => this.#tellAside(record, text));
  }

  /** A content that could not be stored next to the log is reported like a record that could not be written. */
  #tellAside({ envelope: { metadata } }: CallRecord, text: string): string {
    const fault = metadata["auditFault"];
    if (typeof fault === "string") this.#options.onFault(fault);
    return text;
  }
}

const settled = Promise.resolve();

/** Whether no content is still being stored next to the log. */
function isReady(pending: Pending): pending is Pending & { readonly rest: string } {
  return typeof pending.rest === "string";
}
