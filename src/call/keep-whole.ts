import { messageOf } from "../contract/message-of.js";
import type { CallState } from "./call-state.js";
import { contextOf } from "./context.js";

/**
 * Store a text whole in the output store. The handle can be read from immediately; writing to disk follows, and
 * closing waits for it. `undefined` if the text cannot be stored.
 */
export function keepWhole({ parts, resolved, untrusted }: CallState, text: string): string | undefined {
  const { isClosed, chore, events } = parts;
  if (resolved === undefined || isClosed()) return undefined;
  const report = (cause: unknown): void =>
    events.emit("LISTENER_FAILED", {
      event: `output:${resolved.received.callId}`,
      message: messageOf(cause),
    });
  try {
    const writer = contextOf(resolved).outputs.create({ exact: true, untrusted });
    // In pieces, so that a long text is not in memory twice.
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
