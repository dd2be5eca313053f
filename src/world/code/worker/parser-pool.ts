import { settlesWithin } from "../../../contract/system-clock.js";
import { IntList } from "./int-list.js";
import type { Names } from "./names.js";
import type { ParserThread } from "./parser-process.js";
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
  /** Run a job on one of the threads, after the jobs that it has already. */
  run(kind: ParserJob["kind"], files: readonly string[], thread: number): Promise<readonly ParsedFile[]>;
  /** Threads that take jobs at the same time. */
  readonly size: number;
  /** End the threads that have no job, until the next one. */
  rest(): Promise<void>;
  /** End all threads for good; their jobs are lost. */
  stop(): Promise<void>;
}

interface ParserSlot {
  readonly worker: ParserThread;
  /** The number that a name has in the index, by its number in the thread. */
  ids: IntList;
  readonly jobs: Map<number, (answer: JobAnswer) => void>;
}

/** The result of a job; none where its thread died. */
type JobAnswer = ParserResult | "replaced" | undefined;

/** A thread ends only after the compiler has, which takes 6 seconds for PowerShell. */
const maxEndMs = 500;

/** Run jobs on a few threads. When a thread dies, its jobs are tried once more. */
export function createParserPool(options: {
  readonly size: number;
  readonly start: () => ParserThread;
  readonly names: Names;
}): ParserPool {
  const slots: (ParserSlot | undefined)[] = Array.from({ length: options.size }, () => undefined);
  let nextId = 0;
  let isStopped = false;
  const slotAt = (at: number): ParserSlot => {
    const known = slots[at];
    if (known !== undefined) return known;
    const slot = openSlot(options.start(), () => {
      // Another thread may have its place already.
      if (slots[at] === slot) slots[at] = undefined;
    });
    return (slots[at] = slot);
  };
  const ending: (Promise<unknown> | undefined)[] = [];
  /** A thread that large trees have worn ends before another one takes its place, and the jobs that wait there. */
  const replace = (slot: ParserSlot): void => {
    const at = slots.indexOf(slot);
    if (at === -1) return;
    slots[at] = undefined;
    const waiting = [...slot.jobs.values()];
    slot.jobs.clear();
    ending[at] = settlesWithin(slot.worker.terminate(), maxEndMs).then(() => (ending[at] = undefined));
    for (const answer of waiting) answer("replaced");
  };
  const endThreads = async (isEnded: (slot: ParserSlot) => boolean): Promise<void> => {
    const ended = slots.filter((slot) => slot !== undefined).filter(isEnded);
    for (const slot of ended) slots[slots.indexOf(slot)] = undefined;
    await Promise.all(ended.map(({ worker }) => worker.terminate()));
  };
  const runOnce = async (
    kind: ParserJob["kind"],
    files: readonly string[],
    thread: number,
  ): Promise<ParsedFile[] | "replaced" | undefined> => {
    if (ending[thread] !== undefined) await ending[thread];
    if (isStopped) return undefined;
    const slot = slotAt(thread);
    const id = nextId++;
    const result = await new Promise<JobAnswer>((resolve) => {
      slot.jobs.set(id, resolve);
      slot.worker.postMessage({ id, kind, files }, []);
    });
    if (result === undefined || result === "replaced") return result;
    if (result.isWorn) replace(slot);
    if (result.isRenumbered) slot.ids = new IntList();
    slot.ids.pushAll(options.names.addLines(result.names));
    return unpackResult(kind, result, slot.ids.view());
  };
  return {
    size: options.size,
    async run(kind, files, thread) {
      // Another job, or somebody else, may have ended the thread: try once more before giving up on the files.
      for (let deaths = 0; deaths < 2;) {
        const found = await runOnce(kind, files, thread);
        if (found === undefined) deaths += 1;
        else if (found !== "replaced") return found;
      }
      return files.map(() => lostFile);
    },
    rest: () => endThreads(({ jobs }) => jobs.size === 0),
    stop() {
      isStopped = true;
      return endThreads(() => true);
    },
  };
}

/** Two threads died while working on the file, so it is not tried again. */
const lostFile: ParsedFile = {
  state: fileStates.unparsed,
  size: -1,
  changed: -1,
  possibleNames: undefined,
  symbols: undefined,
  content: undefined,
};

function openSlot(worker: ParserThread, onEnd: () => void): ParserSlot {
  const slot: ParserSlot = { worker, ids: new IntList(), jobs: new Map() };
  const end = (): void => {
    onEnd();
    // The others only waited.
    for (const [at, answer] of [...slot.jobs.values()].entries()) answer(at === 0 ? undefined : "replaced");
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
