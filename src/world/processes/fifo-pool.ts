import { basename, join } from "node:path";

/**
 * Unused named pipes: Node cannot create pipes, and a program must not get a socket as its output. They are in a
 * folder that only the owner can enter.
 */
export interface FifoPool {
  take(): Promise<string>;
  /** The fifos with these numbers exist now. */
  add(first: number, last: number): void;
  /** No process has it open any more: it can be used again. */
  giveBack(path: string): void;
  /** No more fifos can be created. */
  fail(error: Error): void;
}

/** How many are created at a time; a command needs two. */
const fifosPerBatch = 32;

/** A pool of the fifos in `dir`; the helper creates the first batch when it starts. */
export function createFifoPool(dir: string, createFifos: (first: number, last: number) => void): FifoPool {
  const free: number[] = [];
  const waiting: { readonly resolve: (path: string) => void; readonly reject: (error: Error) => void }[] = [];
  let orderedCount = fifosPerBatch;
  let createdCount = 0;
  let fault: Error | undefined;
  const orderBatch = (): void => {
    const first = orderedCount;
    orderedCount += fifosPerBatch;
    createFifos(first, orderedCount - 1);
  };
  const orderIfLow = (): void => {
    const coming = orderedCount - createdCount;
    if (free.length + coming - waiting.length < fifosPerBatch / 4) orderBatch();
  };
  const serveWaiting = (): void => {
    while (waiting.length > 0 && free.length > 0) waiting.shift()?.resolve(join(dir, String(free.shift())));
  };
  return {
    take() {
      if (fault !== undefined) return Promise.reject(fault);
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        serveWaiting();
        orderIfLow();
      });
    },
    add(first, last) {
      for (let number = first; number <= last; number++) free.push(number);
      createdCount += last - first + 1;
      serveWaiting();
    },
    giveBack(path) {
      free.push(Number(basename(path)));
      serveWaiting();
    },
    fail(error) {
      fault = error;
      for (const { reject } of waiting.splice(0)) reject(error);
    },
  };
}
