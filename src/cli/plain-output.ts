import { fstatSync, writeSync } from "node:fs";
import { attempt } from "../contract/errno.js";
import { once } from "../contract/once.js";

/** One write that a pipe takes at once if it is empty. */
const maxDirectChars = 16 * 1024;

/**
 * Standard output or error. To a file or a pipe, short texts are written directly: opening the stream loads the network code of
 * Node.js, which takes a twentieth of a short command. Whatever else is asked of it opens the stream.
 */
export function plainOutput(fd: number, open: () => NodeJS.WriteStream): NodeJS.WriteStream {
  if (!isFileOrPipe(fd)) return open();
  let isOpen = false;
  const stream = once(() => {
    isOpen = true;
    return open();
  });
  const write = (text: unknown, ...rest: unknown[]): boolean => {
    const isDirect =
      !isOpen && typeof text === "string" && rest.length === 0 && text.length <= maxDirectChars;
    const left = isDirect ? writeDirectly(fd, Buffer.from(text)) : text;
    if (isDirect && (left as Buffer).length === 0) return true;
    const opened = stream() as { write(...args: unknown[]): boolean };
    return opened.write(left, ...rest);
  };
  return new Proxy({} as NodeJS.WriteStream, {
    get: (_, key): unknown => {
      if (key === "write") return write;
      // As in a stream to a file or a pipe.
      if (key === "isTTY" || key === "columns") return undefined;
      const member: unknown = Reflect.get(stream(), key);
      return typeof member === "function" ? member.bind(stream()) : member;
    },
  });
}

function isFileOrPipe(fd: number): boolean {
  const stats = attempt(() => fstatSync(fd));
  return stats?.isFIFO() === true || stats?.isSocket() === true || stats?.isFile() === true;
}

/** What could not be written, because a pipe is full or closed; the stream waits for it or reports it. */
function writeDirectly(fd: number, bytes: Buffer): Buffer {
  let at = 0;
  while (at < bytes.length) {
    const written = attempt(() => writeSync(fd, bytes, at));
    if (written === undefined) break;
    at += written;
  }
  return bytes.subarray(at);
}
