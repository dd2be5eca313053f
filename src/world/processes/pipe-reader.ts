import { readSync } from "node:fs";
import { Socket, type SocketConstructorOpts } from "node:net";
import { ignoring } from "../../contract/errno.js";

/** Reads a pipe to its end. */
export interface PipeReader {
  readonly ended: Promise<void>;
  /** Whether every writer has closed it. */
  readonly atEnd: boolean;
  /** Stop and close it, once what is in it now was passed on. */
  release(): void;
  unref(): void;
}

const firstBytes = 8 * 1024;
const pipeBytes = 64 * 1024;
const blockBytes = 4 * pipeBytes;
/** A widened pipe holds no more. */
const maxPipeBytes = 1024 * 1024;
/** How long bytes are held to be combined with later ones, unless the pipe ends. */
const gatherMs = 5;

/** The constructor accepts `onread` like `connect`, but its types omit it. */
type PipeOptions = SocketConstructorOpts & {
  readonly onread: { readonly buffer: () => Uint8Array; readonly callback: (length: number) => boolean };
};

/**
 * Read a pipe into one buffer that is reused; `onBytes` must copy what it keeps. A pipe delivers small chunks, which
 * are combined, so that a gigabyte takes thousands of turns of the event loop instead of a hundred thousand.
 */
export function readPipe(fd: number, onBytes: (bytes: Uint8Array) => Promise<void> | undefined): PipeReader {
  const block = createReadBuffer(onBytes);
  const callback = (length: number): boolean => {
    const busy = block.add(length);
    if (busy === undefined) return true;
    const resume = (): void => void socket.resume();
    busy.then(resume, resume);
    return false;
  };
  const options: PipeOptions = {
    fd,
    readable: true,
    writable: false,
    onread: { buffer: () => block.freeSpace(), callback },
  };
  const socket = new Socket(options);
  let atEnd = false;
  socket.on("end", () => {
    atEnd = true;
  });
  // After an error there is nothing more to read.
  socket.on("error", () => socket.destroy());
  const ended = new Promise<void>((resolve) => {
    socket.on("close", () => {
      void block.flush();
      resolve();
    });
  });
  socket.resume();
  const takeRest = (): void => {
    for (let left = maxPipeBytes; left > 0;) {
      const length = readNow(fd, block.freeSpace());
      if (length === 0) break;
      left -= length;
      void block.add(length);
    }
    void block.flush();
  };
  return {
    ended,
    get atEnd() {
      return atEnd;
    },
    release() {
      if (socket.destroyed) return; // its descriptor may be another file by now
      takeRest();
      socket.destroy();
    },
    unref: () => void socket.unref(),
  };
}

/** How much was there to read; 0 if nothing was, or the pipe has ended. */
function readNow(fd: number, into: Uint8Array): number {
  return ignoring("EAGAIN", () => readSync(fd, into)) ?? 0;
}

interface ReadBuffer {
  /** Where the next bytes go. */
  freeSpace(): Uint8Array;
  /** This many bytes were read. */
  add(length: number): Promise<void> | undefined;
  flush(): Promise<void> | undefined;
}

function createReadBuffer(onBytes: (bytes: Uint8Array) => Promise<void> | undefined): ReadBuffer {
  // Most commands write little: the large buffer is allocated only for those that write more.
  let buffer = Buffer.allocUnsafe(firstBytes);
  let [from, to] = [0, 0];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): Promise<void> | undefined => {
    clearTimeout(timer);
    timer = undefined;
    if (from === to) return undefined;
    const bytes = buffer.subarray(from, to);
    // A read into the bytes after it may be under way, so only `add` starts over at the beginning.
    from = to;
    return onBytes(bytes);
  };
  return {
    freeSpace: () => buffer.subarray(to),
    add(length) {
      to += length;
      const room = buffer.length - to;
      if (room >= pipeBytes || (room > 0 && buffer.length === firstBytes)) {
        timer ??= setTimeout(() => void flush(), gatherMs);
        return undefined;
      }
      const busy = flush();
      if (buffer.length === firstBytes) buffer = Buffer.allocUnsafe(blockBytes);
      from = to = 0;
      return busy;
    },
    flush,
  };
}
