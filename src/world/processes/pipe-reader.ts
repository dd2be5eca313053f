import { Socket, type SocketConstructorOpts } from "node:net";

/** Reads a pipe to its end. */
export interface PipeReader {
  readonly ended: Promise<void>;
  /** Every writer has closed it. */
  readonly atEnd: boolean;
  /** Stop and close it. */
  release(): void;
  unref(): void;
}

const firstBytes = 8 * 1024;
const pipeBytes = 64 * 1024;
const blockBytes = 4 * pipeBytes;
/** How long bytes wait for more of them, unless the pipe ends. */
const gatherMs = 5;

/** The constructor takes `onread` as `connect` does, which its types leave out. */
type PipeOptions = SocketConstructorOpts & {
  readonly onread: { readonly buffer: () => Uint8Array; readonly callback: (length: number) => boolean };
};

/**
 * Read the descriptor of a pipe into one buffer that is used over and over; what it holds is lent to `take`.
 * A pipe gives small pieces: they are handed on together, so that a gigabyte costs thousands of turns, not
 * a hundred thousand.
 */
export function readPipe(fd: number, take: (bytes: Uint8Array) => Promise<void> | undefined): PipeReader {
  const block = createBlock(take);
  const callback = (length: number): boolean => {
    const busy = block.add(length);
    if (busy === undefined) return true;
    const goOn = (): void => void socket.resume();
    busy.then(goOn, goOn);
    return false;
  };
  const options: PipeOptions = {
    fd,
    readable: true,
    writable: false,
    onread: { buffer: () => block.room(), callback },
  };
  const socket = new Socket(options);
  let atEnd = false;
  socket.on("end", () => {
    atEnd = true;
  });
  // An error of the pipe is its end: there is nothing more to read.
  socket.on("error", () => socket.destroy());
  const ended = new Promise<void>((resolve) => {
    socket.on("close", () => {
      void block.flush();
      resolve();
    });
  });
  socket.resume();
  return {
    ended,
    get atEnd() {
      return atEnd;
    },
    release: () => socket.destroy(),
    unref: () => void socket.unref(),
  };
}

interface Block {
  /** Where the next bytes go. */
  room(): Uint8Array;
  /** So many have come. */
  add(length: number): Promise<void> | undefined;
  flush(): Promise<void> | undefined;
}

function createBlock(take: (bytes: Uint8Array) => Promise<void> | undefined): Block {
  // Most commands say little: the large buffer is for those that say more.
  let buffer = Buffer.allocUnsafe(firstBytes);
  let [from, to] = [0, 0];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): Promise<void> | undefined => {
    clearTimeout(timer);
    timer = undefined;
    if (from === to) return undefined;
    const bytes = buffer.subarray(from, to);
    // A read may be under way into what comes after it, so only `add` goes back to the start.
    from = to;
    return take(bytes);
  };
  return {
    room: () => buffer.subarray(to),
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
