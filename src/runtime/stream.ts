import type { ToolEnvelope, ToolRequest } from "../contract/call.js";
import type { TenonEvent } from "../contract/events.js";
import type { StreamItem } from "../contract/tenon.js";

/** Makes one call and passes its events on as they happen. */
export type StreamingCall = (
  request: ToolRequest,
  onEvent: (event: TenonEvent) => void,
) => Promise<ToolEnvelope>;

/**
 * Start all calls and give their events and results as they come. The calls start when
 * the loop asks for the first item; leaving the loop cancels those that still run.
 */
export async function* streamCalls(requests: readonly ToolRequest[], run: StreamingCall): AsyncGenerator<StreamItem> {
  const ready: StreamItem[] = [];
  const leaving = new AbortController();
  let left = requests.length;
  let wake: (() => void) | undefined;
  const push = (item: StreamItem): void => {
    ready.push(item);
    wake?.();
  };
  for (const request of requests) {
    void run(withSignal(request, leaving.signal), push).then((envelope) => {
      left--;
      push({ type: "result", envelope });
    });
  }
  try {
    while (left > 0 || ready.length > 0) {
      yield* ready.splice(0);
      if (left === 0 || ready.length > 0) continue;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    leaving.abort();
  }
}

/** The request's own signal and the stream's: either stops the call. */
function withSignal(request: ToolRequest, leaving: AbortSignal): ToolRequest {
  if (typeof request !== "object" || request === null) return request;
  const own = request.signal;
  return { ...request, signal: own instanceof AbortSignal ? AbortSignal.any([own, leaving]) : leaving };
}
