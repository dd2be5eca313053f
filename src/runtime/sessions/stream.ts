import type { ToolEnvelope, ToolRequest } from "../../contract/call.js";
import type { TenonEvent } from "../../contract/events.js";
import type { StreamItem } from "../../contract/tenon.js";

/** What a streamed call gets besides its request. */
export interface StreamLink {
  readonly onEvent: (event: TenonEvent) => void;
  /** Aborted when the consumer leaves the loop. */
  readonly leaving: AbortSignal;
}

/** Makes one call and forwards its events; never rejects. */
export type StreamingCall = (request: ToolRequest, link: StreamLink) => Promise<ToolEnvelope>;

/** Start all calls on the first read, and yield events and results; leaving the loop cancels running calls. */
export async function* streamCalls(
  requests: readonly ToolRequest[],
  run: StreamingCall,
): AsyncGenerator<StreamItem> {
  const leaving = new AbortController();
  const items = new ItemQueue();
  const makeOne = async (request: ToolRequest): Promise<void> => {
    const envelope = await run(request, { onEvent: (event) => items.push(event), leaving: leaving.signal });
    items.push({ type: "result", envelope });
  };
  try {
    void Promise.all(requests.map(makeOne)).then(() => items.end());
    for (let batch = await items.take(); batch.length > 0; batch = await items.take()) yield* batch;
  } finally {
    leaving.abort();
  }
}

/** Queued items; an empty batch means the end. */
class ItemQueue {
  #items: StreamItem[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  push(item: StreamItem): void {
    this.#items.push(item);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async take(): Promise<StreamItem[]> {
    if (this.#items.length === 0 && !this.#ended)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    const batch = this.#items;
    this.#items = [];
    return batch;
  }
}
