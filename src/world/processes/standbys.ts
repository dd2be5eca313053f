import { closeSync, constants, openSync, writeSync } from "node:fs";
import { basename } from "node:path";
import type { FifoPool } from "./fifo-pool.js";

/** Processes of the helper that wait for a command to start. */
export interface Standbys {
  /** Hand a script to one of them; the fifo is free when it has begun. `undefined` where none is there. */
  send(script: string): string | undefined;
  /** One has come. */
  ready(number: number): void;
  /** Have as many as there should be. */
  refill(): void;
  close(): void;
}

const wanted = 2;
/** A fifo takes this much at once. */
const maxBytes = 60_000;

/** Keep a few; `start` makes the helper fork one that reads from the fifo of that number. */
export function createStandbys(fifos: FifoPool, start: (number: number) => void): Standbys {
  const coming = new Map<number, { readonly path: string; readonly fd: number }>();
  const present: { readonly path: string; readonly fd: number }[] = [];
  let asked = 0;
  let closed = false;
  const order = async (): Promise<void> => {
    const path = await fifos.take();
    if (closed) return;
    const number = Number(basename(path));
    // Open for both, so that neither side waits for the other.
    coming.set(number, { path, fd: openSync(path, constants.O_RDWR | constants.O_NONBLOCK) });
    start(number);
  };
  const refill = (): void => {
    if (closed) return;
    while (asked + present.length < wanted) {
      asked += 1;
      order().catch(() => {
        asked -= 1; // the helper is gone, or no descriptor is left: commands start without
      });
    }
  };
  return {
    send(script) {
      const bytes = Buffer.from(`${Buffer.byteLength(script) + 1}\n${script}\n`);
      if (bytes.length > maxBytes) return undefined;
      for (let standby = present.shift(); standby !== undefined; standby = present.shift()) {
        const taken = tryWrite(standby.fd, bytes);
        closeSync(standby.fd);
        if (taken) return standby.path;
      }
      return undefined;
    },
    ready(number) {
      const standby = coming.get(number);
      if (standby === undefined) return;
      coming.delete(number);
      asked -= 1;
      // From now on a write fails where the reader has died.
      const fd = closed ? undefined : openWriter(standby.path);
      if (fd !== undefined) present.push({ path: standby.path, fd });
      closeSync(standby.fd);
    },
    refill,
    close() {
      closed = true;
      for (const { fd } of [...present.splice(0), ...coming.values()]) closeSync(fd);
      coming.clear();
    },
  };
}

function openWriter(path: string): number | undefined {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined; // it has died already
  }
}

function tryWrite(fd: number, bytes: Buffer): boolean {
  try {
    return writeSync(fd, bytes) === bytes.length;
  } catch {
    return false; // EPIPE: it has died
  }
}
