import { messageOf } from "../contract/message-of.js";
import type { Recorder } from "../contract/ports/recorder.js";
import type { RuntimeParts } from "./build-spine.js";

/** Refuse new calls, wait for running ones and release everything, in order. */
export async function closeTenon(parts: RuntimeParts, graceMs: number): Promise<void> {
  const { running, spine } = parts;
  parts.lifetime.closed = true;
  const steps: readonly (() => unknown)[] = [
    () => running.end(graceMs),
    () => parts.desk.stop(),
    () => Promise.all([parts.mcp.close(), parts.plugins.close()]),
    () => parts.registry.close(),
    () => parts.world.close(),
    ...spine.recorders.map((recorder) => () => closeRecorder(recorder, parts)),
    () => parts.audit.close(),
    () => parts.state.close(),
    () => spine.deadlines.close(),
  ];
  // A step that fails must not keep the rest open; the first fault is thrown at the end.
  let fault: unknown;
  for (const release of steps) {
    try {
      await release();
    } catch (thrown) {
      fault ??= thrown;
    }
  }
  if ((fault ??= running.fault) !== undefined) throw fault;
}

async function closeRecorder(recorder: Recorder, { events }: RuntimeParts): Promise<void> {
  try {
    await recorder.close?.();
  } catch (cause) {
    events.emit("LISTENER_FAILED", { event: `close:${recorder.name}`, message: messageOf(cause) });
  }
}
