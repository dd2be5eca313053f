import { messageOf } from "../contract/message-of.js";
import type { Call, ResolvedCall } from "./call.js";
import { contextOf } from "./context.js";

/**
 * Keep a text whole beside its answer. The handle is there at once and can be read from at once; the disk
 * follows, and closing waits for it. `undefined` where it cannot be kept.
 */
export function keepWhole(call: Call, text: string): string | undefined {
  const { isClosed, chore, events } = call.parts;
  if (call.entry === undefined || isClosed()) return undefined;
  const report = (cause: unknown): void =>
    events.emit("LISTENER_FAILED", { event: `output:${call.callId}`, message: messageOf(cause) });
  try {
    const writer = contextOf(call as ResolvedCall).outputs.create({ exact: true, untrusted: call.untrusted });
    // In pieces, so that a long text is not held twice over.
    for (let at = 0; at < text.length;) {
      const end = endOfPiece(text, at);
      void writer.write(Buffer.from(text.slice(at, end)));
      at = end;
    }
    chore(writer.finish().catch(report));
    return writer.handle;
  } catch (cause) {
    report(cause);
    return undefined;
  }
}

const pieceChars = 1024 * 1024;

/** Never between the two halves of a character. */
function endOfPiece(text: string, start: number): number {
  const end = Math.min(text.length, start + pieceChars);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}
