import { cleanText } from "./clean-text.js";
import type { OutputStream } from "./launch.js";

/** Forwards output as it arrives, in few and small frames, however much there is. */
export interface OutputFrames {
  push(stream: OutputStream, bytes: Uint8Array): void;
  /** Send what is left. */
  end(): void;
}

const everyMs = 100;
const maxFrameBytes = 8 * 1024;

/** Create frames for a listener: the first chunk is sent at once, later ones are combined, at most ten times a second. */
export function createOutputFrames(send: (stream: OutputStream, text: string) => void): OutputFrames {
  const streams = { stdout: createPendingOutput(), stderr: createPendingOutput() };
  let timer: NodeJS.Timeout | undefined;
  const flush = (last = false): boolean => {
    let sent = false;
    for (const stream of ["stdout", "stderr"] as const) {
      const text = streams[stream].take(last);
      if (text === "") continue;
      send(stream, text);
      sent = true;
    }
    return sent;
  };
  const tick = (): void => {
    timer = flush() ? setTimeout(tick, everyMs) : undefined;
  };
  return {
    push(stream, bytes) {
      streams[stream].push(bytes);
      if (timer === undefined) tick();
    },
    end() {
      clearTimeout(timer);
      flush(true);
    },
  };
}

interface PendingOutput {
  push(bytes: Uint8Array): void;
  /** @param last Nothing follows: an incomplete character or escape sequence is included. */
  take(last: boolean): string;
}

/** A complete escape sequence: with parameters and a final letter, or a single character. */
// oxlint-disable-next-line no-control-regex -- finding escape sequences is the point
const wholeSequence = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|[^[])/;
/** A longer text is not an escape sequence. */
const maxSequenceChars = 32;

/** Keeps the last bytes since the previous frame; earlier ones are only counted. */
function createPendingOutput(): PendingOutput {
  const buffer = Buffer.allocUnsafe(maxFrameBytes);
  let length = 0;
  let skipped = 0;
  let decoder = new TextDecoder();
  let held = "";
  return {
    push(bytes) {
      if (bytes.length >= maxFrameBytes) {
        skipped += length + bytes.length - maxFrameBytes;
        buffer.set(bytes.subarray(bytes.length - maxFrameBytes));
        length = maxFrameBytes;
        return;
      }
      const over = Math.max(0, length + bytes.length - maxFrameBytes);
      if (over > 0) buffer.copyWithin(0, over, length);
      skipped += over;
      length -= over;
      buffer.set(bytes, length);
      length += bytes.length;
    },
    take(last) {
      if (length === 0 && !(last && held !== "")) return "";
      if (skipped > 0) {
        decoder = new TextDecoder();
        held = "";
      }
      const raw = held + decoder.decode(buffer.subarray(0, length), { stream: !last });
      // An incomplete escape sequence waits for the rest of it.
      const open = last ? -1 : raw.lastIndexOf("\x1b");
      const waits =
        open !== -1 && raw.length - open < maxSequenceChars && !wholeSequence.test(raw.slice(open));
      const cut = waits ? open : raw.length;
      held = raw.slice(cut);
      const note = skipped > 0 ? `[… ${skipped} bytes not shown …]\n` : "";
      length = skipped = 0;
      return note + cleanText(raw.slice(0, cut));
    },
  };
}
