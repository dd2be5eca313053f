import { toFileProblem } from "../../contract/file-problem.js";
import { messageOf } from "../../contract/message-of.js";
import { marker, type SegmentWriter } from "./segment-writer.js";

export interface LogEndOptions {
  /** Opens the log; called again if it failed. */
  readonly open: () => SegmentWriter;
  readonly now: () => number;
  readonly onFault: (message: string) => void;
  readonly onRestored: (counts: { readonly written: number; readonly lost: number }) => void;
}

/** A sync that begins this long after a write is over within 10 ms of it, where the disk is quick. */
const syncDelayMs = 5;
const maxWaiting = 10_000;
/** How long to wait before trying again to write waiting lines. */
const retryMs = 200;

/** The end of the log as one process writes it: lines that cannot be written wait until they can. */
export class LogEnd {
  /** Why nothing can be written now. */
  fault: string | undefined;
  readonly #options: LogEndOptions;
  #writer: SegmentWriter | undefined;
  #syncing: Promise<void> = Promise.resolve();
  #nextSync: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Lines that could not be written yet. */
  #waiting: string[] = [];
  #lost = 0;
  #retryAt = 0;

  constructor(options: LogEndOptions) {
    this.#options = options;
  }

  /** Whether anything was written, or is about to be. */
  get isOpen(): boolean {
    return this.#writer !== undefined;
  }

  /** Whether it is too soon for another try after writing failed. */
  get isResting(): boolean {
    return this.#options.now() < this.#retryAt;
  }

  /** The writer; it is opened on first use. */
  writer(): SegmentWriter {
    return (this.#writer ??= this.#options.open());
  }

  /** Write lines now, or as soon as writing works again. */
  write(rests: readonly string[]): void {
    if (this.fault !== undefined && this.isResting) return this.#keepWaiting(rests);
    try {
      this.#append(rests);
    } catch (cause) {
      this.#keepWaiting(rests);
      this.fail(cause);
    }
  }

  /** Write a line behind others now, or throw; the others wait where it fails, the line does not. Returns its place. */
  writeNow(line: string, others: readonly string[]): number {
    try {
      return this.#append(others.length === 0 ? [line] : [...others, line]) + others.length;
    } catch (cause) {
      this.#keepWaiting(others);
      this.fail(cause);
      throw cause;
    }
  }

  /** Try again to write what could not be written; `true` if nothing is left over. */
  retry(): boolean {
    if (this.fault === undefined) return true;
    this.#retryAt = 0;
    this.write([]);
    return this.fault === undefined;
  }

  fail(cause: unknown): void {
    const { syscall } = Object(cause) as { syscall?: unknown };
    const message = typeof syscall === "string" ? toFileProblem(cause) : messageOf(cause);
    this.#retryAt = this.#options.now() + retryMs;
    const isNews = this.fault === undefined;
    this.fault = `The record of the call could not be stored: ${message}`;
    if (isNews) this.#options.onFault(this.fault);
  }

  /** Resolves when no sync is under way. */
  async idle(): Promise<void> {
    await this.#syncing.catch(() => {}); // told where it was asked for
  }

  async flush(): Promise<void> {
    if (this.#writer?.unsynced === true) await this.#writer.sync();
  }

  async syncNow(): Promise<void> {
    if (this.#writer === undefined || this.fault !== undefined) return;
    this.#syncing = this.#writer.sync();
    try {
      await this.#syncing;
    } catch (cause) {
      this.fail(cause);
    }
  }

  /** One sync for all callers that arrive while another one is under way. */
  syncShared(): Promise<void> {
    const wait = async (): Promise<void> => {
      await this.idle();
      this.#nextSync = undefined;
      await this.syncNow();
    };
    return (this.#nextSync ??= wait());
  }

  syncSoon(): void {
    if (this.#timer !== undefined || this.#writer === undefined) return;
    this.#timer = setTimeout(() => {
      const writer = this.#writer;
      if (writer?.unsynced !== true) {
        this.#timer = undefined;
        return;
      }
      this.#syncing = writer.sync().catch((cause: unknown) => this.fail(cause));
      void this.#syncing.then(() => {
        this.#timer = undefined;
        if (writer.unsynced && writer === this.#writer) this.syncSoon();
      });
    }, syncDelayMs).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.idle();
    this.retry();
    await this.#writer?.close();
    this.#writer = undefined;
  }

  /** Write lines after those that waited; returns the position of the first one. */
  #append(rests: readonly string[]): number {
    const { now } = this.#options;
    const late = this.#waiting;
    const gap = this.#lost === 0 ? [] : [marker("lost", { time: now(), calls: this.#lost })];
    const before = this.fault === undefined ? [] : [...late, ...gap];
    // Without anything to write, a marker is written to find out whether writing works.
    const isProbe = this.fault !== undefined && before.length + rests.length === 0;
    const all = before.length === 0 ? rests : [...before, ...rests];
    const place = this.writer().append(isProbe ? [marker("restored", { time: now() })] : all);
    if (this.fault !== undefined) this.#restore(late.length);
    return place + before.length;
  }

  #restore(written: number): void {
    const lost = this.#lost;
    this.fault = undefined;
    this.#waiting = [];
    this.#lost = 0;
    this.#options.onRestored({ written, lost });
  }

  #keepWaiting(rests: readonly string[]): void {
    const room = Math.max(0, maxWaiting - this.#waiting.length);
    this.#waiting.push(...rests.slice(0, room));
    this.#lost += Math.max(0, rests.length - room);
  }
}
