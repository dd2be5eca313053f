import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import type { Handle, Opener } from "./opener.js";
import { toPathText, toSystemPath } from "./raw-path.js";

/** Refers to a file without opening it: FIFOs do not block and devices are not touched. Node has no constant for it. */
const O_PATH = 0o10000000;
export const OPEN_FLAGS = O_PATH | constants.O_NOFOLLOW;

/**
 * Open by descriptor: the kernel resolves the path once, /proc reports the real path, and every later
 * operation goes through the descriptor, so nothing that is swapped in meanwhile is ever reached.
 * `undefined` where /proc is missing.
 */
export function linuxOpener(): Opener | undefined {
  const fds = ownDescriptors();
  if (fds === undefined) return undefined;
  return {
    kind: "descriptor",
    open: (absolute) => toHandle(openSync(toSystemPath(absolute), OPEN_FLAGS), fds),
    openChild: (parent, name, real) =>
      toHandle(openSync(typeof name === "string" ? parent.at(name) : parent.at(name), OPEN_FLAGS), fds, real),
  };
}

/**
 * The directory of the process's own descriptors, with /proc/self resolved once instead of by the kernel
 * each time.
 */
function ownDescriptors(): string | undefined {
  try {
    const fds = `/proc/${readlinkSync("/proc/self")}/fd`;
    const handle = toHandle(openSync("/", OPEN_FLAGS), fds);
    const told = handle.real === "/";
    handle.close();
    return told ? fds : undefined;
  } catch {
    return undefined;
  }
}

function toHandle(fd: number, fds: string, joined?: string): Handle {
  const self = `${fds}/${fd}`;
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    closeSync(fd);
  };
  try {
    const real = joined ?? realPath(self);
    return {
      real,
      stat: fstatSync(fd, { bigint: true }),
      self,
      at: ((name: string | Buffer) => childOf(self, name)) as Handle["at"],
      reopen: (flags) => openSync(self, flags),
      changedNs: () => fstatSync(fd, { bigint: true }).ctimeNs,
      // After a delete or a move the link shows another path; beyond PATH_MAX it cannot be read.
      isInPlace: () => open && realPath(self) === real,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function realPath(self: string): string {
  const text = readlinkSync(self);
  return /[\uFFFD\uFFFF]/.test(text) ? toPathText(readlinkSync(self, "buffer")) : text;
}

function childOf(self: string, name: string | Buffer): string | Buffer {
  if (typeof name === "string") return toSystemPath(`${self}/${name}`);
  return Buffer.concat([Buffer.from(`${self}/`), name]);
}
