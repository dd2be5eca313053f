import type { Worker } from "node:worker_threads";
import { IntList } from "./int-list.js";
import type { Names } from "./names.js";
import { fileStates, type ParserJob, type ParserResult, statSize } from "./parser.js";
import { renumberNames, renumberSymbols } from "./symbol-pack.js";

export interface ParsedFile {
  readonly state: number;
  readonly size: number;
  readonly changed: number;
  readonly possibleNames: Int32Array | undefined;
  readonly symbols: Int32Array | undefined;
  /** Set where it was scanned. */
  readonly content: string | undefined;
}

/** Threads that scan and parse files; they are started when there is work and ended when it is done. */
export interface ParserPool {
  run(kind: ParserJob["kind"], files: readonly string[]): Promise<readonly ParsedFile[]>;
  /** Threads that take jobs at the same time. */
  readonly size: number;
  /** End the threads until the next job. */
  stop(): Promise<void>;
}

interface ParserSlot {
  readonly worker: Worker;
  /** The number that a name has in the index, by its number in the thread. */
  ids: IntList;
  readonly jobs: Map<number, (result: ParserResult | undefined) => void>;
}

/** Run jobs on a few worker threads. When a thread dies, only its own jobs are lost. */
export function createParserPool(options: {
  readonly size: number;
  readonly start: () => Worker;
  readonly names: Names;
}): ParserPool {
  const slots: (ParserSlot | undefined)[] = Array.from({ length: options.size }, () => undefined);
  let nextId = 0;
  const slotAt = (at: number): ParserSlot => {
    const known = slots[at];
    if (known !== undefined) return known;
    const slot = openSlot(options.start(), () => {
      // Another thread may have its place already.
      if (slots[at] === slot) slots[at] = undefined;
    });
    return (slots[at] = slot);
  };
  /** A thread that large trees have worn gives its place to another, and ends when its last job is done. */
  const replaceIfWorn = (slot: ParserSlot, isWorn: boolean): void => {
    const at = slots.indexOf(slot);
    if (isWorn && at !== -1) slots[at] = undefined;
    if (!slots.includes(slot) && slot.jobs.size === 0) void slot.worker.terminate();
  };
  const leastBusy = (): number =>
    slots.reduce((best, slot, at) => ((slot?.jobs.size ?? 0) < (slots[best]?.jobs.size ?? 0) ? at : best), 0);
  return {
    size: options.size,
    async run(kind, files) {
      const slot = slotAt(leastBusy());
      const id = nextId++;
      const result = await new Promise<ParserResult | undefined>((resolve) => {
        slot.jobs.set(id, resolve);
        slot.worker.postMessage({ id, kind, files } satisfies ParserJob, []);
      });
      if (result === undefined) return files.map(() => lostFile);
      replaceIfWorn(slot, result.isWorn);
      if (result.isRenumbered) slot.ids = new IntList();
      slot.ids.pushAll(options.names.addLines(result.names));
      return unpackResult(kind, result, slot.ids.view());
    },
    async stop() {
      const open = slots.filter((slot) => slot !== undefined);
      slots.fill(undefined);
      await Promise.all(open.map(({ worker }) => worker.terminate()));
    },
  };
}

/** The thread died while working on the file, so it is not tried again. */
const lostFile: ParsedFile = {
  state: fileStates.unparsed,
  size: -1,
  changed: -1,
  possibleNames: undefined,
  symbols: undefined,
  content: undefined,
};

function openSlot(worker: Worker, onEnd: () => void): ParserSlot {
  const slot: ParserSlot = { worker, ids: new IntList(), jobs: new Map() };
  const end = (): void => {
    onEnd();
    for (const answer of slot.jobs.values()) answer(undefined);
    slot.jobs.clear();
  };
  worker.on("message", (result: ParserResult) => {
    const answer = slot.jobs.get(result.id);
    slot.jobs.delete(result.id);
    answer?.(result);
  });
  worker.once("error", end);
  worker.once("exit", end);
  return slot;
}

function unpackResult(kind: ParserJob["kind"], result: ParserResult, ids: Int32Array): ParsedFile[] {
  const { states, counts, numbers, stats, contents } = result;
  let from = 0;
  return Array.from(states, (state, at) => {
    const own = numbers.subarray(from, from + counts[at]!);
    from += own.length;
    const size = stats[at * statSize]!;
    const changed = stats[at * statSize + 1]!;
    // The files of a job share one block of memory.
    const isScanned = kind === "scan" && state === fileStates.scanned;
    const possibleNames = isScanned ? renumberNames(own, ids) : undefined;
    const symbols = state === fileStates.parsed ? renumberSymbols(own, ids) : undefined;
    return { state, size, changed, possibleNames, symbols, content: contents[at] };
  });
}
