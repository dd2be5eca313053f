/** What tells how long a call took: a record of the log, or a call of a trace. */
interface TimedCall {
  readonly durationMs?: number | undefined;
  readonly waitedForPersonMs?: number | undefined;
  readonly approval?: { readonly waitedMs: number } | undefined;
}

/** How long a call waited for a person. */
export function waitedForPersonMs(call: TimedCall): number {
  return call.waitedForPersonMs ?? call.approval?.waitedMs ?? 0;
}

/** How long a call ran, without the time in which it waited for a person; `undefined` while it has not ended. */
export function ranMs(call: TimedCall): number | undefined {
  return call.durationMs === undefined ? undefined : Math.max(0, call.durationMs - waitedForPersonMs(call));
}
