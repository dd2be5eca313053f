import { open, type FileHandle } from "node:fs/promises";
import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { KeptOutput, OutputKind, OutputWriter } from "../../contract/ports/outputs.js";
import { createLineIndex, type LineIndex } from "./line-scan.js";
import {
  createOutputFiles,
  handlePattern,
  type OutputFiles,
  type OutputRecord,
  type StoredOutput,
} from "./output-files.js";
import { openFileWriter, type FileWriter } from "./output-writer.js";

export interface OutputStoreOptions {
  /** A folder of the store's own, out of the agents' reach. */
  readonly dir: string;
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  /** How long an output is kept. @default 24 hours */
  readonly keepMs?: number;
  /** How much of one output is kept; beyond it the middle is dropped. @default 256 MB */
  readonly maxBytes?: number;
  /** How much all outputs may take together; the oldest go first. @default 1 GB */
  readonly maxTotalBytes?: number;
}

interface OpenOutput {
  readonly record: Omit<OutputRecord, "bytes" | "dropped">;
  readonly writer: FileWriter;
}

const tailBytes = 8 * 1024 * 1024;
const dayMs = 24 * 3_600_000;
const maxIndexes = 64;

/** The outputs on the disk and those that still grow. */
export class OutputCatalogue {
  readonly #options: OutputStoreOptions;
  readonly #files: OutputFiles;
  readonly #open = new Map<string, OpenOutput>();
  readonly #indexes = new Map<string, LineIndex>();
  #preparing: Promise<void> | undefined;
  #tidying: Promise<void> | undefined;

  constructor(options: OutputStoreOptions) {
    this.#options = options;
    this.#files = createOutputFiles(options.dir);
  }

  create(sessionId: string, { exact, untrusted }: OutputKind = {}): OutputWriter {
    const { now, randomBytes, keepMs = dayMs, maxBytes = 256 * 1024 * 1024 } = this.#options;
    const handle = `out_${Buffer.from(randomBytes(16)).toString("base64url")}`;
    const createdAt = now();
    const record = {
      handle,
      sessionId,
      createdAt,
      expiresAt: createdAt + keepMs,
      ...(exact === true && { exact }),
      ...(untrusted === true && { untrusted }),
    };
    const tail = Math.min(tailBytes, Math.floor(maxBytes / 2));
    const limits = { headBytes: maxBytes - tail, tailBytes: tail };
    const writer = openFileWriter(this.#files.dataPath(handle), limits, this.#prepare());
    this.#open.set(handle, { record, writer });
    let finishing: Promise<KeptOutput> | undefined;
    return {
      handle,
      write: (chunk) => (finishing === undefined ? writer.write(chunk) : undefined),
      finish: () => (finishing ??= this.#finish(record, writer)),
      abort: () => {
        finishing ??= this.#abandon(handle, writer);
        finishing.catch(() => undefined);
      },
    };
  }

  async describe(handle: string, sessionId: string): Promise<KeptOutput | undefined> {
    const record = await this.#recordOf(handle, sessionId);
    if (record === undefined) return undefined;
    const { bytes, dropped, createdAt, expiresAt } = record;
    return { handle, bytes, dropped, createdAt, expiresAt };
  }

  async withFile<T>(
    handle: string,
    sessionId: string,
    use: (file: FileHandle, index: LineIndex, kind: OutputKind) => Promise<T>,
  ): Promise<T> {
    const record = await this.#recordOf(handle, sessionId);
    if (record === undefined) throw unknownHandle(handle);
    await this.#open.get(handle)?.writer.flush();
    const file = await open(this.#files.dataPath(handle)).catch(() => undefined);
    if (file === undefined) throw unknownHandle(handle);
    try {
      return await use(file, this.#indexOf(handle), record);
    } finally {
      await file.close();
    }
  }

  async endSession(sessionId: string): Promise<void> {
    for (const { record, writer } of this.#open.values())
      if (record.sessionId === sessionId) await this.#abandon(record.handle, writer).catch(() => undefined);
    if (this.#preparing === undefined) return;
    for (const { handle, record } of await this.#files.list())
      if (record?.sessionId === sessionId) await this.#forget(handle);
  }

  async sweep(): Promise<void> {
    const { now, keepMs = dayMs, maxTotalBytes = 1024 ** 3 } = this.#options;
    const stored = await this.#files.list();
    let total = 0;
    for (const { handle, bytes, modified, record } of stored.toSorted(newestFirst)) {
      if (this.#open.has(handle)) continue;
      // Without a record it may be growing in another process, as long as it is young.
      const expired = (record?.expiresAt ?? modified + keepMs) <= now();
      if (!expired && (record === undefined || (total += bytes) <= maxTotalBytes)) continue;
      await this.#forget(handle);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(
      [...this.#open.values()].map(({ record, writer }) => this.#finish(record, writer)),
    );
    await this.#tidying;
    if (this.#preparing !== undefined) await this.sweep();
  }

  #prepare(): Promise<void> {
    if (this.#preparing !== undefined) return this.#preparing;
    this.#preparing = this.#files.prepare().catch((cause: unknown) => {
      this.#preparing = undefined; // the next caller tries again
      throw cause;
    });
    this.#preparing.then(() => this.#tidy()).catch(() => undefined);
    return this.#preparing;
  }

  /** A sweep that nobody waits for; one at a time is enough. */
  #tidy(): void {
    this.#tidying ??= this.sweep()
      .catch(() => undefined)
      .finally(() => {
        this.#tidying = undefined;
      });
  }

  async #finish(record: OpenOutput["record"], writer: FileWriter): Promise<KeptOutput> {
    const { handle } = record;
    try {
      const written = await writer.finish();
      this.#files.save({ ...record, ...written });
      this.#open.delete(handle);
      this.#tidy();
      const { createdAt, expiresAt } = record;
      return { handle, createdAt, expiresAt, ...written };
    } catch (cause) {
      // What is half there helps nobody, and a full disk needs the space.
      await this.#forget(handle).catch(() => undefined);
      throw cause;
    }
  }

  async #abandon(handle: string, writer: FileWriter): Promise<never> {
    await writer.abort();
    await this.#forget(handle);
    throw unknownHandle(handle);
  }

  async #forget(handle: string): Promise<void> {
    this.#open.delete(handle);
    this.#indexes.delete(handle);
    await this.#files.remove(handle);
  }

  async #recordOf(handle: string, sessionId: string): Promise<OutputRecord | undefined> {
    if (!handlePattern.test(handle)) return undefined;
    const growing = this.#open.get(handle)?.record;
    const record =
      growing === undefined ? await this.#files.load(handle) : { ...growing, bytes: 0, dropped: 0 };
    if (record === undefined || record.handle !== handle || record.sessionId !== sessionId) return undefined;
    return record.expiresAt > this.#options.now() ? record : undefined;
  }

  /** Only finished outputs and those of this process are indexed; the index grows with the file. */
  #indexOf(handle: string): LineIndex {
    const known = this.#indexes.get(handle) ?? createLineIndex();
    this.#indexes.delete(handle);
    this.#indexes.set(handle, known);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > maxIndexes && oldest !== undefined) this.#indexes.delete(oldest);
    return known;
  }
}

function newestFirst(one: StoredOutput, other: StoredOutput): number {
  return other.modified - one.modified;
}

function unknownHandle(handle: string): ToolResourceNotFoundError {
  return new ToolResourceNotFoundError(`Stored output "${handle.slice(0, 64)}" not found.`, {
    hint: "Outputs expire after a while and are kept only for the session that made them; make the call again.",
  });
}
