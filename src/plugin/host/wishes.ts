import { ToolCancelledError, ToolExecutionError } from "../../contract/errors.js";
import { decode, encode, type ServeParams, type ServeResult, type Wish } from "../wire.js";
import { fromWireError } from "../wire-error.js";

/** What this process wants of Tenon, waiting to be fetched. */
export interface Wishes {
  /** Doors can be used for calls that are open only. */
  open(key: string): void;
  /** The call is over; gives what was not fetched yet. */
  close(key: string): readonly Wish[];
  ask(key: string, door: readonly string[], args: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  note(key: string, note: "emit" | "log" | "env", args: readonly unknown[]): void;
  serve(params: ServeParams, signal: AbortSignal): Promise<ServeResult>;
}

/** An empty answer now and then shows that this process is alive. */
const longestWaitMs = 20_000;
const mostNotes = 10_000;
const mostAtOnce = 1000;

interface Pending {
  readonly key: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function createWishes(): Wishes {
  const calls = new Set<string>();
  const pending = new Map<number, Pending>();
  let queue: Wish[] = [];
  let lastId = 0;
  let wake: (() => void) | undefined;

  const push = (wish: Wish): void => {
    queue.push(wish);
    // One answer for all that this turn of the loop brings.
    if (queue.length === 1) setImmediate(() => wake?.());
  };

  return {
    open: (key) => void calls.add(key),
    close(key) {
      calls.delete(key);
      for (const [id, { key: own, reject }] of pending) {
        if (own !== key) continue;
        pending.delete(id);
        reject(over());
      }
      const left = queue.filter((wish) => "note" in wish && wish.key === key);
      queue = queue.filter((wish) => !("key" in wish) || wish.key !== key);
      return left;
    },
    ask(key, door, args, signal) {
      if (!calls.has(key)) return Promise.reject(over());
      if (signal?.aborted === true) return Promise.reject(new ToolCancelledError());
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          if (!pending.delete(id)) return;
          push({ cancel: id });
          reject(new ToolCancelledError());
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        const settled =
          <T>(settle: (value: T) => void) =>
          (value: T): void => {
            signal?.removeEventListener("abort", onAbort);
            settle(value);
          };
        pending.set(id, { key, resolve: settled(resolve), reject: settled(reject) });
        push({ id, key, door, args: encode(args) as unknown[] });
      });
    },
    note(key, note, args) {
      if (key !== "" && !calls.has(key)) return;
      // A tool that reports without end gets slower readers, not more memory.
      if (queue.length >= mostNotes && note !== "env") return;
      push({ key, note, args: encode(args) as unknown[] });
    },
    async serve({ answers, deliver }, signal) {
      for (const { id, answer } of answers) {
        const waiting = pending.get(id);
        pending.delete(id);
        if (answer.ok) waiting?.resolve(decode(answer.value));
        else waiting?.reject(fromWireError(answer.error));
      }
      if (deliver === true) return { wishes: [] };
      if (queue.length === 0) {
        await new Promise<void>((resolve) => {
          wake?.(); // an older one that waits still would take what this one is for
          const timer = setTimeout(resolve, longestWaitMs);
          timer.unref();
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          signal.addEventListener("abort", wake, { once: true });
        });
      }
      return { wishes: signal.aborted ? [] : queue.splice(0, mostAtOnce) };
    },
  };
}

function over(): ToolExecutionError {
  return new ToolExecutionError("The call is over: its context leads nowhere any more.", {
    hint: "Await everything that the tool does through ctx before it returns.",
  });
}
