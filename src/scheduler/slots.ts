import { Heap, type HeapItem } from "./heap.js";
import type { Waiter } from "./ticket.js";

/**
 * Who runs next: at most `max` calls overall and `max` of each tool.
 *
 * Each tool has its own queue of ready calls, and the tools that could start one are queued by their first call. So
 * a saturated tool costs nothing, however many of its calls are ready.
 * Priorities are strict: aging would let a lower one overtake a higher one, which callers do not expect, and all
 * calls have the same priority unless somebody chose otherwise.
 */
export class Slots {
  running = 0;
  peakRunning = 0;
  max: number;
  readonly #open = new Heap<ToolSlots>(startsBefore);

  constructor(max: number) {
    this.max = max;
  }

  /** Take a slot if one is free; then no ready call can be waiting for it. */
  take(tool: ToolSlots): boolean {
    if (this.running >= this.max || tool.running >= tool.max) return false;
    this.#occupy(tool);
    return true;
  }

  free(tool: ToolSlots): void {
    this.running--;
    tool.running--;
    if (tool.waiting > 0) this.refresh(tool);
  }

  /** Let a call that is no longer blocked wait for a slot. */
  enqueue(tool: ToolSlots, waiter: Waiter): void {
    tool.ready.add(waiter);
    this.refresh(tool);
  }

  /** Remove a call that was waiting for a slot. */
  withdraw(tool: ToolSlots, waiter: Waiter): void {
    tool.ready.remove(waiter);
    this.refresh(tool);
  }

  /** The next call that may start; its slot is taken. */
  next(): Waiter | undefined {
    if (this.running >= this.max) return undefined;
    const tool = this.#open.first;
    const waiter = tool?.ready.first;
    if (tool === undefined || waiter === undefined) return undefined;
    tool.ready.remove(waiter);
    this.#occupy(tool);
    this.refresh(tool);
    return waiter;
  }

  /** Update the position of a tool among those that could start a call. */
  refresh(tool: ToolSlots): void {
    const open = tool.ready.first !== undefined && tool.running < tool.max;
    if (!open) this.#open.remove(tool);
    else if (tool.heapIndex < 0) this.#open.add(tool);
    else this.#open.moved(tool);
  }

  #occupy(tool: ToolSlots): void {
    if (++this.running > this.peakRunning) this.peakRunning = this.running;
    if (++tool.running > tool.peakRunning) tool.peakRunning = tool.running;
  }
}

/** The calls of one tool that run, are ready or wait. */
export class ToolSlots implements HeapItem {
  heapIndex = -1;
  running = 0;
  peakRunning = 0;
  /** Ready or blocked. */
  waiting = 0;
  max: number;
  readonly maxQueued: number;
  readonly ready = new Heap<Waiter>(goesBefore);

  constructor(max: number, maxQueued: number) {
    this.max = max;
    this.maxQueued = maxQueued;
  }
}

function goesBefore(a: Waiter, b: Waiter): boolean {
  return a.priority === b.priority ? a.order < b.order : a.priority > b.priority;
}

function startsBefore(a: ToolSlots, b: ToolSlots): boolean {
  const first = a.ready.first;
  const second = b.ready.first;
  return first !== undefined && (second === undefined || goesBefore(first, second));
}
