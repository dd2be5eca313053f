import type { Worker } from "node:worker_threads";
import type { Names } from "./names.js";
import { fileStates, type ParserJob, type ParserResult, statSize } from "./parser.js";
import { packedSize } from "./symbol-pack.js";

/** What became known of a file. */
export interface ParsedFile {
  readonly state: number;
  readonly size: number;
  readonly changed: number;
  readonly noted: Int32Array | undefined;
  readonly symbols: Int32Array | undefined;
}

/** Threads that scan and parse files; they are started when there is work and ended when it is done. */
export interface ParserPool {
  run(kind: ParserJob["kind"], files: readonly string[]): Promise<readonly ParsedFile[]>;
  /** Threads that take jobs at the same time. */
  readonly size: number;
  rest(): Promise<void>;
}

interface Seat {
  readonly worker: Worker;
  /** The number that a name has in the index, by its number in the thread. */
  readonly ids: number[];
  readonly jobs: Map<number, (result: ParserResult | undefined) => void>;
}

/** Run jobs on a few threads of their own. A thread that dies takes only its jobs with it. */
export function createParserPool(options: {
  readonly size: number;
  readonly start: () => Worker;
  readonly names: Names;
}): ParserPool {
  const seats: (Seat | undefined)[] = Array.from({ length: options.size }, () => undefined);
  let nextId = 0;
  const seatAt = (at: number): Seat => {
    const seat = seats[at] ?? openSeat(options.start(), () => (seats[at] = undefined));
    seats[at] = seat;
    return seat;
  };
  const leastBusy = (): number =>
    seats.reduce((best, seat, at) => ((seat?.jobs.size ?? 0) < (seats[best]?.jobs.size ?? 0) ? at : best), 0);
  return {
    size: options.size,
    async run(kind, files) {
      const seat = seatAt(leastBusy());
      const id = nextId++;
      const result = await new Promise<ParserResult | undefined>((resolve) => {
        seat.jobs.set(id, resolve);
        seat.worker.postMessage({ id, kind, files } satisfies ParserJob, []);
      });
      if (result === undefined) return files.map(() => lost);
      if (result.names !== "")
        for (const name of result.names.split("\n")) seat.ids.push(options.names.add(name));
      return unpack(kind, result, seat.ids);
    },
    async rest() {
      const open = seats.filter((seat) => seat !== undefined);
      seats.fill(undefined);
      await Promise.all(open.map(({ worker }) => worker.terminate()));
    },
  };
}

/** The thread died over it: it is not tried again. */
const lost: ParsedFile = {
  state: fileStates.unparsed,
  size: -1,
  changed: -1,
  noted: undefined,
  symbols: undefined,
};

function openSeat(worker: Worker, onEnd: () => void): Seat {
  const seat: Seat = { worker, ids: [], jobs: new Map() };
  const end = (): void => {
    onEnd();
    for (const answer of seat.jobs.values()) answer(undefined);
    seat.jobs.clear();
  };
  worker.on("message", (result: ParserResult) => {
    const answer = seat.jobs.get(result.id);
    seat.jobs.delete(result.id);
    answer?.(result);
  });
  worker.once("error", end);
  worker.once("exit", end);
  return seat;
}

function unpack(kind: ParserJob["kind"], result: ParserResult, ids: readonly number[]): ParsedFile[] {
  const { states, counts, numbers, stats } = result;
  let from = 0;
  return Array.from(states, (state, at) => {
    const some = numbers.subarray(from, from + counts[at]!);
    from += some.length;
    const size = stats[at * statSize]!;
    const changed = stats[at * statSize + 1]!;
    const noted = kind === "scan" && state === fileStates.scanned ? toNotes(some, ids) : undefined;
    const symbols = state === fileStates.parsed ? toSymbols(some, ids) : undefined;
    return { state, size, changed, noted, symbols };
  });
}

function toNotes(notes: Int32Array, ids: readonly number[]): Int32Array {
  return notes.map((note) => ids[note >> 1]! * 2 + (note & 1));
}

function toSymbols(packed: Int32Array, ids: readonly number[]): Int32Array {
  const symbols = packed.slice();
  for (let at = 0; at < symbols.length; at += packedSize) {
    symbols[at] = ids[symbols[at]!]!;
    const container = symbols[at + 4]!;
    if (container !== -1) symbols[at + 4] = ids[container]!;
  }
  return symbols;
}
