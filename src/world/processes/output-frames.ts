import { cleanText } from "./clean-text.js";
import type { OutputStream } from "./launch.js";

/** Passes output on while it comes, in few and small frames, however much comes. */
export interface OutputFrames {
  push(stream: OutputStream, bytes: Uint8Array): void;
  /** Send what is left. */
  end(): void;
}

const everyMs = 100;
const maxBytes = 8 * 1024;

/** Make frames for a listener; the first piece goes at once, later ones together at most ten times a second. */
export function createOutputFrames(send: (stream: OutputStream, text: string) => void): OutputFrames {
  const streams = { stdout: createPending(), stderr: createPending() };
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

interface Pending {
  push(bytes: Uint8Array): void;
  /** @param last Nothing comes after it: what waited for its rest goes, too. */
  take(last: boolean): string;
}

/** An escape sequence that has all its parts: with parameters and a final letter, or of one character. */
// oxlint-disable-next-line no-control-regex -- finding escape sequences is the point
const wholeSequence = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|[^[])/;
/** None is longer; what is, is no sequence. */
const longestSequence = 32;

/** The last bytes since the last frame; those before them are only counted. */
function createPending(): Pending {
  const buffer = Buffer.allocUnsafe(maxBytes);
  let length = 0;
  let skipped = 0;
  let decoder = new TextDecoder();
  let held = "";
  return {
    push(bytes) {
      if (bytes.length >= maxBytes) {
        skipped += length + bytes.length - maxBytes;
        buffer.set(bytes.subarray(bytes.length - maxBytes));
        length = maxBytes;
        return;
      }
      const over = Math.max(0, length + bytes.length - maxBytes);
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
      // An escape sequence that is not complete yet waits for its rest.
      const open = last ? -1 : raw.lastIndexOf("\x1b");
      const waits =
        open !== -1 && raw.length - open < longestSequence && !wholeSequence.test(raw.slice(open));
      const cut = waits ? open : raw.length;
      held = raw.slice(cut);
      const note = skipped > 0 ? `[… ${skipped} bytes not shown …]\n` : "";
      length = skipped = 0;
      return note + cleanText(raw.slice(0, cut));
    },
  };
}
