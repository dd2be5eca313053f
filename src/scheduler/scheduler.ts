import { ToolCancelledError, ToolUnavailableError } from "../contract/errors.js";
import { Claim, ConflictGraph, leaveGraphs } from "./conflict-graph.js";
import type { Job, SchedulerOptions, SchedulerStats, ToolLimits, ToolLoad } from "./job.js";
import { Slots, ToolSlots } from "./slots.js";
import {
  CallTicket,
  enterFamilies,
  leaveParent,
  nearestRunning,
  type Ticket,
  type Waiter,
} from "./ticket.js";

export type { Job, SchedulerOptions, SchedulerStats, ToolLimits, ToolLoad } from "./job.js";
export type { Ticket } from "./ticket.js";

/**
 * Lets calls run immediately unless they conflict or a limit is reached; conflicting ones keep their order of
 * arrival, so that the outcome is the same as if they ran one after the other.
 *
 * A nested call waits only for conflicting calls below the same parent, never for a slot or for anyone
 * outside, so nesting cannot deadlock. Its own locks do hold back conflicting calls that come later from
 * outside. A parent keeps its locks and its slot until it is released and all calls below it are done.
 */
export class Scheduler {
  readonly #slots: Slots;
  readonly #maxQueued: number;
  readonly #monotonic: () => number;
  readonly #graph = new ConflictGraph<CallTicket>();
  readonly #tools = new WeakMap<ToolLimits, ToolSlots>();
  readonly #onFree = (ticket: CallTicket): void => this.#ready(ticket);
  #arrivals = 0;
  #waiting = 0;
  #peakWaiting = 0;
  #nestedRunning = 0;
  #nestedWaiting = 0;
  #closed: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(options: SchedulerOptions) {
    this.#slots = new Slots(toLimit(options.maxConcurrent, 10, 1));
    this.#maxQueued = toLimit(options.maxQueued, 100_000, 0);
    this.#monotonic = options.monotonic;
  }

  /** Get a ticket, immediately if nothing conflicts; it must be released. */
  acquire(job: Job): Ticket | Promise<Ticket> {
    const parent = job.parent && nearestRunning(job.parent);
    if (parent !== undefined) return this.#acquireNested(job, parent);
    if (this.#closed !== undefined) throw closedError();
    const tool = this.#slotsOf(job.limits);
    const ticket = new CallTicket(tool, undefined);
    if (job.locks.length > 0) {
      ticket.claim = new Claim(ticket);
      this.#graph.enter(ticket.claim, job.locks);
    }
    if (!isBlocked(ticket) && this.#slots.take(tool)) return ticket;
    this.#refuseWhenFull(ticket, tool);
    return this.#wait(job, ticket);
  }

  /** Return a ticket; a second time does nothing. */
  release(ticket: Ticket): void {
    const done = ticket as CallTicket;
    if (done.released) return;
    done.released = true;
    if (done.tool === undefined) this.#nestedRunning--;
    if (done.children === 0) this.#leave(done);
  }

  /** Change how many calls may run at the same time; running ones are not affected. */
  setMaxConcurrent(max: number): void {
    this.#slots.max = toLimit(max, this.#slots.max, 1);
    this.#dispatch();
  }

  /** Change how many calls of one tool may run at the same time. */
  setToolMax(limits: ToolLimits, max: number): void {
    const tool = this.#slotsOf(limits);
    tool.max = toLimit(max, tool.max, 1);
    this.#slots.refresh(tool);
    this.#dispatch();
  }

  /** The current numbers. */
  stats(): SchedulerStats {
    return {
      running: this.#slots.running,
      waiting: this.#waiting,
      peakRunning: this.#slots.peakRunning,
      peakWaiting: this.#peakWaiting,
      nestedRunning: this.#nestedRunning,
      nestedWaiting: this.#nestedWaiting,
      maxConcurrent: this.#slots.max,
    };
  }

  /** The current numbers of one tool. */
  loadOf(limits: ToolLimits): ToolLoad {
    const { running, waiting, peakRunning, max } = this.#slotsOf(limits);
    return { running, waiting, peakRunning, max };
  }

  /** Accept only nested calls of running ones; resolves when all accepted calls are done. */
  close(): Promise<void> {
    this.#closed ??= deferred();
    this.#endWhenIdle();
    return this.#closed.promise;
  }

  #slotsOf(limits: ToolLimits): ToolSlots {
    const known = this.#tools.get(limits);
    if (known !== undefined) return known;
    const tool = new ToolSlots(toLimit(limits.max, Infinity, 1), toLimit(limits.queue, Infinity, 0));
    this.#tools.set(limits, tool);
    return tool;
  }

  #acquireNested(job: Job, parent: CallTicket): Ticket | Promise<Ticket> {
    const ticket = new CallTicket(undefined, parent);
    parent.children++;
    if (job.locks.length > 0) enterFamilies(ticket, job.locks, this.#graph);
    if (!isBlocked(ticket)) {
      this.#nestedRunning++;
      return ticket;
    }
    // Outside load must not make a nested call fail, so only its siblings count.
    if (parent.waitingChildren >= this.#maxQueued) this.#refuse(ticket, this.#maxQueued, "below one call");
    return this.#wait(job, ticket);
  }

  #refuseWhenFull(ticket: CallTicket, tool: ToolSlots): void {
    if (this.#waiting >= this.#maxQueued) this.#refuse(ticket, this.#maxQueued, "in all");
    if (tool.waiting >= tool.maxQueued) this.#refuse(ticket, tool.maxQueued, "of this tool");
  }

  #refuse(ticket: CallTicket, limit: number, scope: string): never {
    this.#withdraw(ticket);
    throw new ToolUnavailableError(`The call cannot wait: the queue of ${limit} calls ${scope} is full.`, {
      code: "QUEUE_FULL",
      hint: "Wait for running calls to end and call again, or make fewer calls at the same time.",
    });
  }

  #wait(job: Job, ticket: CallTicket): Promise<Ticket> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        ticket,
        priority: job.priority || 0, // NaN cannot be ordered
        order: this.#arrivals++,
        since: this.#monotonic(),
        resolve,
        reject,
        unsubscribe: undefined,
        heapIndex: -1,
      };
      ticket.waiter = waiter;
      this.#count(ticket, 1);
      if (ticket.tool !== undefined && !isBlocked(ticket)) this.#slots.enqueue(ticket.tool, waiter);
      if (job.onAbort !== undefined) this.#subscribe(job.onAbort, waiter);
    });
  }

  #subscribe(onAbort: NonNullable<Job["onAbort"]>, waiter: Waiter): void {
    try {
      const unsubscribe = onAbort(() => this.#cancel(waiter));
      // It may have fired already.
      if (waiter.ticket.waiter === waiter) waiter.unsubscribe = unsubscribe;
      else unsubscribe();
    } catch (error) {
      // Nobody would release a ticket whose call failed here.
      this.#cancel(waiter, error);
    }
  }

  #cancel(waiter: Waiter, reason?: unknown): void {
    const { ticket } = waiter;
    if (ticket.waiter !== waiter) return;
    ticket.waiter = undefined;
    if (ticket.tool !== undefined) this.#slots.withdraw(ticket.tool, waiter);
    this.#count(ticket, -1);
    waiter.reject(reason ?? new ToolCancelledError("The call was cancelled while it waited for its turn."));
    this.#withdraw(ticket);
    waiter.unsubscribe?.();
  }

  #ready(ticket: CallTicket): void {
    const { waiter, tool } = ticket;
    if (waiter === undefined) return;
    if (tool === undefined) this.#start(waiter);
    else this.#slots.enqueue(tool, waiter);
  }

  #start(waiter: Waiter): void {
    const { ticket } = waiter;
    ticket.waiter = undefined;
    this.#count(ticket, -1);
    if (ticket.tool === undefined) this.#nestedRunning++;
    ticket.waitedMs = Math.max(0, this.#monotonic() - waiter.since);
    waiter.resolve(ticket);
    waiter.unsubscribe?.();
  }

  #count(ticket: CallTicket, change: 1 | -1): void {
    if (ticket.tool === undefined) {
      this.#nestedWaiting += change;
      if (ticket.parent !== undefined) ticket.parent.waitingChildren += change;
      return;
    }
    this.#waiting += change;
    ticket.tool.waiting += change;
    if (this.#waiting > this.#peakWaiting) this.#peakWaiting = this.#waiting;
  }

  // For a call that never ran: it holds locks and a place below its parent, but no slot.
  #withdraw(ticket: CallTicket): void {
    ticket.released = true;
    if (ticket.claim !== undefined) leaveGraphs(ticket.claim, this.#onFree);
    const above = ticket.parent === undefined ? undefined : leaveParent(ticket.parent);
    if (above !== undefined) this.#leave(above);
    else this.#dispatch();
  }

  // Goes up, since the last call below a released parent ends that one too.
  #leave(ticket: CallTicket): void {
    for (let done: CallTicket | undefined = ticket; done !== undefined;) {
      if (done.claim !== undefined) leaveGraphs(done.claim, this.#onFree);
      if (done.tool !== undefined) this.#slots.free(done.tool);
      done = done.parent === undefined ? undefined : leaveParent(done.parent);
    }
    this.#dispatch();
  }

  #dispatch(): void {
    while (this.#waiting > 0) {
      const next = this.#slots.next();
      if (next === undefined) break;
      this.#start(next);
    }
    if (this.#closed !== undefined) this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    if (this.#slots.running === 0 && this.#waiting === 0) this.#closed?.resolve();
  }
}

function isBlocked(ticket: CallTicket): boolean {
  return ticket.claim !== undefined && ticket.claim.blockers > 0;
}

function toLimit(value: number | undefined, fallback: number, min: number): number {
  if (value === undefined || Number.isNaN(value)) return fallback;
  return Math.max(min, Math.floor(value));
}

function closedError(): ToolUnavailableError {
  return new ToolUnavailableError(
    "The call was not accepted: no new calls are scheduled while Tenon closes.",
    {
      code: "RUNTIME_CLOSED",
      hint: "Create a new Tenon instance.",
      retryable: false,
    },
  );
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
