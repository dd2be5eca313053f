import type { CallRecord, Recorder } from "../../contract/ports/recorder.js";
import { createAlertWatch, type AlertWatch } from "./alerts.js";
import { marker, type SegmentWriter } from "./segment-writer.js";
import { outcomeOf, type RestMaker } from "./to-rest.js";
import type { AuditAlert } from "../../contract/ports/audit.js";

export interface AuditRecorderOptions {
  /** Opens the log; tried again where it failed. */
  readonly open: () => SegmentWriter;
  readonly rests: RestMaker;
  /** Sync before an answer leaves, instead of within 10 ms. */
  readonly strict: boolean;
  /** Whether no other call is under way that could share the write. */
  readonly isQuiet: () => boolean;
  readonly now: () => number;
  readonly onFault: (message: string) => void;
  readonly onRestored: (counts: { readonly written: number; readonly lost: number }) => void;
  readonly onAlert: (alert: AuditAlert) => void;
}

/** A sync that begins this long after a write is over within 10 ms of it, where the disk is quick. */
const syncDelayMs = 5;
const mostWaiting = 10_000;
/** Not every call tries again to write what waits. */
const retryMs = 200;

interface Pending {
  readonly record: CallRecord;
  readonly rest: string | Promise<string>;
}

/** Writes a record of every call before its answer leaves; calls that end together share one write. */
export class AuditRecorder implements Recorder {
  readonly name = "audit";
  readonly #options: AuditRecorderOptions;
  readonly #watch: AlertWatch;
  #writer: SegmentWriter | undefined;
  #pending: Pending[] = [];
  /** Calls that other calls made, since the last write. */
  #nested: Pending[] = [];
  /** A write of nested calls' records that waits for contents to be put aside; the answers above wait for it. */
  #aside: Promise<void> | undefined;
  #turn: NodeJS.Immediate | undefined;
  #round: Promise<void> | undefined;
  #syncing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #fault: string | undefined;
  /** Lines that could not be written yet. */
  #waiting: string[] = [];
  #lost = 0;
  #retryAt = 0;

  constructor(options: AuditRecorderOptions) {
    this.#options = options;
    this.#watch = createAlertWatch(options.onAlert);
  }

  /** Why records cannot be kept now. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Whether anything was written, or is about to be. */
  get isOpen(): boolean {
    return this.#writer !== undefined;
  }

  alerts(): readonly AuditAlert[] {
    return this.#watch.alerts();
  }

  record(record: CallRecord): Promise<void> | undefined {
    const rest = this.#toRest(record);
    const { strict, isQuiet } = this.#options;
    if (record.parentCallId !== undefined) return this.#recordNested({ record, rest });
    // A call that runs alone need not wait for others that could share its write.
    const isFree = !strict && this.#round === undefined && this.#aside === undefined;
    if (typeof rest === "string" && isFree && isQuiet() && this.#nested.every(isReady)) {
      const nested = this.#takeNested();
      this.#write([...nested.filter(isReady).map(({ rest: text }) => text), rest]);
      this.#syncSoon();
      this.#tellFault([...nested, { record, rest }]);
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
    if (this.#nested.length === 0) return this.#nested;
    const taken = this.#nested;
    this.#nested = [];
    return taken;
  }

  /** The log's end, open for writing. */
  writer(): SegmentWriter {
    return (this.#writer ??= this.#options.open());
  }

  /** Try again to write what could not be written; `true` where all is well. */
  retry(): boolean {
    if (this.#fault === undefined) return true;
    this.#retryAt = 0;
    this.#write([]);
    return this.#fault === undefined;
  }

  /** Resolves when all that was recorded so far is on disk. */
  async flush(): Promise<void> {
    await this.#settle();
    if (this.#writer?.unsynced === true) await this.#writer.sync();
  }

  async close(): Promise<void> {
    await this.#settle();
    clearTimeout(this.#timer);
    await this.#syncing.catch(() => {});
    this.retry();
    await this.#writer?.close();
    this.#writer = undefined;
  }

  /** Resolves when all that was recorded so far is written. */
  async #settle(): Promise<void> {
    if (this.#nested.length > 0) this.#round ??= this.#writeRound();
    await this.#round;
    await this.#aside;
  }

  async #writeRound(): Promise<void> {
    // The calls that end in this tick, or while the disk syncs for others, share one write.
    await (this.#options.strict ? this.#syncing.catch(() => {}) : undefined);
    const nested = this.#takeNested();
    const batch = [...nested, ...this.#pending];
    this.#pending = [];
    this.#round = undefined;
    if (this.#aside === undefined && batch.every(isReady)) this.#write(batch.map(({ rest }) => rest));
    else await this.#writeLater(batch, nested.length > 0);
    if (this.#options.strict) await this.#syncNow();
    else this.#syncSoon();
    this.#tellFault(batch);
  }

  /** Write what is still being put aside, behind the nested calls that came before it. */
  async #writeLater(batch: readonly Pending[], hasNested: boolean): Promise<void> {
    const earlier = this.#aside;
    const write = async (): Promise<void> => {
      const rests = await Promise.all(batch.map(async ({ rest }) => rest));
      await earlier;
      this.#write(rests);
    };
    const written = write().finally(() => {
      if (this.#aside === written) this.#aside = undefined;
    });
    if (hasNested) this.#aside = written;
    return written;
  }

  /** An answer whose record could not be kept says so. */
  #tellFault(batch: readonly Pending[]): void {
    if (this.#fault === undefined) return;
    for (const { record } of batch) record.envelope.metadata["auditFault"] = this.#fault;
  }

  /** A record whose contents cannot be kept aside says so, and is kept nevertheless. */
  #toRest(record: CallRecord): string | Promise<string> {
    const { envelope } = record;
    this.#watchOver(record);
    const rest = this.#options.rests.toRest(record);
    if (typeof rest === "string") return rest;
    return rest.catch((cause: unknown) => {
      this.#fail(cause);
      const short = { ...record, arguments: "[could not be kept aside]" };
      return this.#options.rests.toRest({
        ...short,
        envelope: { ...envelope, result: "[could not be kept aside]" },
      });
    });
  }

  #watchOver({ envelope, sessionId, agent }: CallRecord): void {
    this.#watch.see({
      time: envelope.startedAt,
      tool: envelope.toolName,
      sessionId,
      agent,
      outcome: outcomeOf(envelope.error),
      errorCode: envelope.error?.code,
    });
  }

  #write(rests: readonly string[]): void {
    if (this.#fault !== undefined && this.#options.now() < this.#retryAt) return this.#keepWaiting(rests);
    try {
      const late = this.#waiting;
      const gap = this.#lost === 0 ? [] : [marker("lost", { time: this.#options.now(), calls: this.#lost })];
      const all = this.#fault === undefined ? rests : [...late, ...gap, ...rests];
      // Without anything to write, a marker tells whether writing works.
      const probe = this.#fault !== undefined && all.length === 0;
      this.writer().append(probe ? [marker("restored", { time: this.#options.now() })] : all);
      this.#restore(late.length);
    } catch (cause) {
      this.#keepWaiting(rests);
      this.#fail(cause);
    }
  }

  #restore(written: number): void {
    if (this.#fault === undefined) return;
    const lost = this.#lost;
    this.#fault = undefined;
    this.#waiting = [];
    this.#lost = 0;
    this.#options.onRestored({ written, lost });
  }

  #keepWaiting(rests: readonly string[]): void {
    const room = Math.max(0, mostWaiting - this.#waiting.length);
    this.#waiting.push(...rests.slice(0, room));
    this.#lost += Math.max(0, rests.length - room);
  }

  #fail(cause: unknown): void {
    const message = cause instanceof Error ? cause.message : String(cause);
    this.#retryAt = this.#options.now() + retryMs;
    const isNews = this.#fault === undefined;
    this.#fault = `The record of the call could not be kept: ${message}`;
    if (isNews) this.#options.onFault(this.#fault);
  }

  async #syncNow(): Promise<void> {
    if (this.#writer === undefined || this.#fault !== undefined) return;
    this.#syncing = this.#writer.sync();
    try {
      await this.#syncing;
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #syncSoon(): void {
    if (this.#timer !== undefined || this.#writer === undefined) return;
    this.#timer = setTimeout(() => {
      const writer = this.#writer;
      if (writer?.unsynced !== true) {
        this.#timer = undefined;
        return;
      }
      this.#syncing = writer.sync().catch((cause: unknown) => this.#fail(cause));
      void this.#syncing.then(() => {
        this.#timer = undefined;
        if (writer.unsynced && writer === this.#writer) this.#syncSoon();
      });
    }, syncDelayMs).unref();
  }
}

/** Nothing of it is still to be put aside. */
function isReady(pending: Pending): pending is Pending & { readonly rest: string } {
  return typeof pending.rest === "string";
}
