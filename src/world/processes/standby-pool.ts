import { closeSync, constants, openSync, writeSync } from "node:fs";
import { basename } from "node:path";
import type { CommandGroup } from "../sandbox/command-group.js";
import type { FifoPool } from "./fifo-pool.js";
import { openWriter } from "./input-fifo.js";
import { isRunning } from "./process-table.js";

/** A standby that took a request and becomes the command. */
export interface AssignedStandby {
  readonly serial: number;
  /** Its fifo, free again once the request was read. */
  readonly path: string;
  readonly group: CommandGroup | undefined;
  /** The process that waits for its end. */
  readonly waiter: number;
}

/** Processes that the helper forked ahead of time; each turns into the next command. */
export interface StandbyPool {
  /** Hand a script to one of them; `undefined` if none is ready. */
  send(script: string): AssignedStandby | undefined;
  /** A standby is ready; `waiter` is the process that will wait for its end. */
  ready(serial: number, waiter: number): void;
  /** Start standbys until there are as many as wanted. */
  refill(): void;
  close(): void;
}

export interface StandbyPoolDeps {
  readonly fifos: FifoPool;
  readonly openGroup: () => CommandGroup | undefined;
  /** Make the helper fork a standby that reads from the given fifo and joins the control group. */
  readonly start: (standby: { fifo: number; serial: number; joins: readonly string[] }) => void;
}

interface Standby extends AssignedStandby {
  readonly fd: number;
}

/** One is used while the next ones join their control groups, which takes the kernel about 15 ms. */
const targetCount = 3;
/** A fifo accepts this much in one write. */
const maxRequestBytes = 60_000;

/** Create the pool; it fills when `refill` is first called. */
export function createStandbyPool({ fifos, openGroup, start }: StandbyPoolDeps): StandbyPool {
  const starting = new Map<number, Standby>();
  const waiting: Standby[] = [];
  let startingCount = 0;
  let lastSerial = 0;
  let closed = false;
  const startOne = async (): Promise<void> => {
    const path = await fifos.take();
    if (closed) return;
    const serial = (lastSerial += 1);
    const group = openGroup();
    // Opened for reading and writing, so that neither side blocks on the other.
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    starting.set(serial, { serial, path, group, fd, waiter: 0 });
    start({ fifo: Number(basename(path)), serial, joins: group?.joins ?? [] });
  };
  const refill = (): void => {
    if (closed) return;
    while (startingCount + waiting.length < targetCount) {
      startingCount += 1;
      startOne().catch(() => {
        startingCount -= 1; // the helper has exited or there are no free descriptors: commands start without a standby
      });
    }
  };
  return {
    send(script) {
      const bytes = Buffer.from(`${Buffer.byteLength(script) + 1}\n${script}\n`);
      if (bytes.length > maxRequestBytes) return undefined;
      for (let standby = waiting.shift(); standby !== undefined; standby = waiting.shift()) {
        // Without its waiter, nobody would report the end of the command.
        const accepted = isRunning(standby.waiter) && tryWrite(standby.fd, bytes);
        closeSync(standby.fd);
        if (accepted) {
          refill(); // while the command runs, which nobody waits for here
          return standby;
        }
        standby.group?.remove();
      }
      return undefined;
    },
    ready(serial, waiter) {
      const standby = starting.get(serial);
      if (standby === undefined) return;
      starting.delete(serial);
      startingCount -= 1;
      // With a write-only descriptor, a write fails if the reader has died.
      const fd = closed ? undefined : openWriter(standby.path);
      if (fd !== undefined) waiting.push({ ...standby, fd, waiter });
      closeSync(standby.fd);
    },
    refill,
    close() {
      closed = true;
      for (const { fd, group } of [...waiting.splice(0), ...starting.values()]) {
        closeSync(fd);
        group?.remove();
      }
      starting.clear();
    },
  };
}

function tryWrite(fd: number, bytes: Buffer): boolean {
  try {
    return writeSync(fd, bytes) === bytes.length;
  } catch {
    return false; // EPIPE: the reader has died
  }
}
