import { basename, join } from "node:path";

/**
 * Named pipes that wait to be used: Node cannot make pipes itself, and a program must not get a socket as its
 * output. They lie in a folder that only the owner can enter.
 */
export interface FifoPool {
  take(): Promise<string>;
  /** These are there now. */
  add(first: number, last: number): void;
  /** Nobody has it open any more: it can be used again. */
  giveBack(path: string): void;
  /** There will be no more. */
  fail(error: Error): void;
}

/** How many are made at once; a command needs two. */
export const fifosPerBatch = 32;

/** A pool of the fifos in `dir`, the first batch of which somebody makes unasked. */
export function createFifoPool(dir: string, make: (first: number, last: number) => void): FifoPool {
  const free: number[] = [];
  const waiting: { readonly resolve: (path: string) => void; readonly reject: (error: Error) => void }[] = [];
  let ordered = fifosPerBatch;
  let present = 0;
  let fault: Error | undefined;
  const order = (): void => {
    const first = ordered;
    ordered += fifosPerBatch;
    make(first, ordered - 1);
  };
  const topUp = (): void => {
    const coming = ordered - present;
    if (free.length + coming - waiting.length < fifosPerBatch / 4) order();
  };
  const serve = (): void => {
    while (waiting.length > 0 && free.length > 0) waiting.shift()?.resolve(join(dir, String(free.shift())));
  };
  return {
    take() {
      if (fault !== undefined) return Promise.reject(fault);
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        serve();
        topUp();
      });
    },
    add(first, last) {
      for (let number = first; number <= last; number++) free.push(number);
      present += last - first + 1;
      serve();
    },
    giveBack(path) {
      free.push(Number(basename(path)));
      serve();
    },
    fail(error) {
      fault = error;
      for (const { reject } of waiting.splice(0)) reject(error);
    },
  };
}
