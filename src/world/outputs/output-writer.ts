import { writeFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { ToolExecutionError } from "../../contract/errors.js";

/** How much of an output is kept, and in which pieces it goes to the disk. */
export interface WriterLimits {
  /** Bytes from its start. */
  readonly headBytes: number;
  /** Bytes from its end, held in memory once the head is full. */
  readonly tailBytes: number;
}

/** What a file received in the end. */
export interface Written {
  readonly bytes: number;
  readonly dropped: number;
}

/** Writes an output of any size to a file, with a bounded amount of memory. */
export interface FileWriter {
  /** Take a copy; a promise means: wait for it before the next one, the disk is behind. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Everything that was taken so far is in the file, but for the tail. */
  flush(): Promise<void>;
  finish(): Promise<Written>;
  /** Stop and close the file, which the caller removes. */
  abort(): Promise<void>;
}

const slabBytes = 256 * 1024;
const maxSlabs = 8;

/**
 * Open a writer. The head goes to the disk as it comes; what comes after it passes through a
 * ring in memory, so that an endless output costs no more disk than its cap. The file is made
 * once `ready` has resolved, with the first bytes.
 */
export function openFileWriter(path: string, limits: WriterLimits, ready: Promise<void>): FileWriter {
  const slabs = createSlabs(path, ready);
  const tail = createRing(limits.tailBytes);
  let total = 0;
  return {
    write(chunk) {
      const room = Math.max(0, limits.headBytes - total);
      total += chunk.length;
      if (room < chunk.length) tail.push(chunk.subarray(room));
      return room === 0 ? undefined : slabs.push(chunk.subarray(0, room));
    },
    flush: () => slabs.flush(),
    async finish() {
      const { parts, dropped } = tail.take();
      if (dropped > 0) slabs.pushAll(gapNote(dropped));
      for (const part of parts) await slabs.push(part);
      await slabs.close();
      return { bytes: total, dropped };
    },
    abort: () => slabs.close().catch(() => undefined),
  };
}

/** Stands in the file where its middle is missing. */
function gapNote(dropped: number): Buffer {
  return Buffer.from(`\n[… ${dropped} bytes of the middle were not kept …]\n`);
}

interface Slabs {
  push(chunk: Uint8Array): Promise<void> | undefined;
  pushAll(chunk: Uint8Array): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Gathers small pieces into slabs and writes these one after the other. */
function createSlabs(path: string, ready: Promise<void>): Slabs {
  ready.catch(() => undefined); // the error reaches those that wait for the write
  const free: Buffer[] = [];
  let made = 0;
  let current: Buffer | undefined;
  let filled = 0;
  let opening: Promise<FileHandle> | undefined;
  let writing: Promise<void> = ready;
  let fault: unknown;

  const openFile = (): Promise<FileHandle> => {
    opening ??= ready.then(() => open(path, newFile.flag, newFile.mode));
    opening.catch(() => undefined);
    return opening;
  };
  const send = (): void => {
    const [slab, length] = [current, filled];
    if (slab === undefined || length === 0) return;
    current = undefined;
    filled = 0;
    const opened = openFile();
    writing = writing
      .then(async () => {
        if (fault === undefined) await writeAll(await opened, slab.subarray(0, length));
      })
      .catch((cause: unknown) => {
        fault ??= cause;
      })
      .finally(() => free.push(slab));
  };
  const push = (chunk: Uint8Array): Promise<void> | undefined => {
    if (fault !== undefined) return undefined;
    for (let at = 0; at < chunk.length;) {
      current ??= free.pop() ?? ((made += 1), Buffer.allocUnsafe(slabBytes));
      const step = Math.min(slabBytes - filled, chunk.length - at);
      current.set(chunk.subarray(at, at + step), filled);
      filled += step;
      at += step;
      if (filled === slabBytes) send();
    }
    return made >= maxSlabs && free.length === 0 ? writing : undefined;
  };
  const sendAll = async (): Promise<void> => {
    send();
    await openFile().catch(() => undefined);
    await writing.catch(() => undefined);
  };
  /** An output that fits into one slab is written sooner than another thread is told of it. */
  const writeAtOnce = async (): Promise<void> => {
    await ready;
    writeFileSync(path, current?.subarray(0, filled) ?? "", newFile);
  };
  const finishFile = async (): Promise<void> => {
    await sendAll();
    await (await openFile()).close();
  };
  let closing: Promise<void> | undefined;
  return {
    push,
    pushAll: (chunk) => void push(chunk),
    // A close in progress writes everything itself; a flush beside it would take what is to be written, and lose it.
    flush: () => closing?.catch(() => undefined) ?? sendAll(),
    async close() {
      closing ??= opening === undefined ? writeAtOnce() : finishFile();
      await closing.catch((cause: unknown) => {
        fault ??= cause;
      });
      if (fault !== undefined) throw notKept(fault);
    },
  };
}

const newFile = { flag: "wx", mode: 0o600 } as const;

async function writeAll(file: FileHandle, data: Uint8Array): Promise<void> {
  for (let at = 0; at < data.length;) {
    const { bytesWritten } = await file.write(data, at, data.length - at);
    at += bytesWritten;
  }
}

function notKept(cause: unknown): ToolExecutionError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ToolExecutionError(`The complete output could not be stored: ${reason}.`, {
    code: "FILE_IO",
    cause,
    hint: "Free space in Tenon's state directory, or let the command write less.",
  });
}

interface Ring {
  push(chunk: Uint8Array): void;
  /** What it holds in order, from a line's start where one is near, and how much fell out before. */
  take(): { readonly parts: readonly Uint8Array[]; readonly dropped: number };
}

function createRing(size: number): Ring {
  let buffer: Buffer | undefined;
  let seen = 0;
  return {
    push(chunk) {
      buffer ??= Buffer.allocUnsafe(size);
      const last = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
      let at = (seen + chunk.length - last.length) % size;
      const first = Math.min(last.length, size - at);
      buffer.set(last.subarray(0, first), at);
      at = (at + first) % size;
      if (first < last.length) buffer.set(last.subarray(first), at);
      seen += chunk.length;
    },
    take() {
      if (buffer === undefined) return { parts: [], dropped: 0 };
      if (seen <= size) return { parts: [buffer.subarray(0, seen)], dropped: 0 };
      const start = seen % size;
      const whole = Buffer.concat([buffer.subarray(start), buffer.subarray(0, start)]);
      const skipped = nearLineStart(whole);
      return { parts: [whole.subarray(skipped)], dropped: seen - size + skipped };
    },
  };
}

const nearBytes = 64 * 1024;

function nearLineStart(bytes: Buffer): number {
  const end = bytes.subarray(0, nearBytes).indexOf(10);
  return end === -1 ? 0 : end + 1;
}
