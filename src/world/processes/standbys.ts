import { closeSync, constants, openSync, writeSync } from "node:fs";
import { basename } from "node:path";
import type { CommandGroup } from "../sandbox/command-group.js";
import type { FifoPool } from "./fifo-pool.js";
import { readStat } from "./process-table.js";

/** A process that took a request and becomes the command. */
export interface Taken {
  readonly serial: number;
  /** Free once the request was read. */
  readonly path: string;
  readonly group: CommandGroup | undefined;
}

/** Processes of the helper that wait for a command to become. */
export interface Standbys {
  /** Hand a script to one of them; `undefined` where none is there. */
  send(script: string): Taken | undefined;
  /** One has come, started by the process that will wait for it. */
  ready(serial: number, waiter: number): void;
  /** Have as many as there should be. */
  refill(): void;
  close(): void;
}

export interface StandbyParts {
  readonly fifos: FifoPool;
  readonly openGroup: () => CommandGroup | undefined;
  /** Let the helper fork one that reads from the fifo of that number and joins the group. */
  readonly start: (standby: { fifo: number; serial: number; joins: readonly string[] }) => void;
}

interface Standby extends Taken {
  readonly fd: number;
  readonly waiter: number;
}

/** One is used while the next ones join their groups, which takes the kernel about 15 ms. */
const wanted = 3;
/** A fifo takes this much at once. */
const maxBytes = 60_000;

/** Keep a few. */
export function createStandbys({ fifos, openGroup, start }: StandbyParts): Standbys {
  const coming = new Map<number, Standby>();
  const present: Standby[] = [];
  let asked = 0;
  let count = 0;
  let closed = false;
  const order = async (): Promise<void> => {
    const path = await fifos.take();
    if (closed) return;
    const serial = (count += 1);
    const group = openGroup();
    // Open for both, so that neither side waits for the other.
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    coming.set(serial, { serial, path, group, fd, waiter: 0 });
    start({ fifo: Number(basename(path)), serial, joins: group?.joins ?? [] });
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
        // Without the process that waits for it nobody would tell its end.
        const taken = isAlive(standby.waiter) && tryWrite(standby.fd, bytes);
        closeSync(standby.fd);
        if (taken) return standby;
        standby.group?.remove();
      }
      return undefined;
    },
    ready(serial, waiter) {
      const standby = coming.get(serial);
      if (standby === undefined) return;
      coming.delete(serial);
      asked -= 1;
      // From now on a write fails where the reader has died.
      const fd = closed ? undefined : openWriter(standby.path);
      if (fd !== undefined) present.push({ ...standby, fd, waiter });
      closeSync(standby.fd);
    },
    refill,
    close() {
      closed = true;
      for (const { fd, group } of [...present.splice(0), ...coming.values()]) {
        closeSync(fd);
        group?.remove();
      }
      coming.clear();
    },
  };
}

function isAlive(pid: number): boolean {
  if (process.platform !== "linux") return true;
  const [state = "X"] = readStat(pid);
  return state !== "Z" && state !== "X";
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
