/** The last bytes that a job wrote, for a page that follows it; reading takes nothing from what its session reads. */
export interface RecentOutput {
  push(bytes: Uint8Array): void;
  /** What came after a position; `from` is later than asked for if that is no longer stored. */
  read(since: number): OutputPart;
}

/** Some output, and the position after it. */
export interface OutputPart {
  readonly text: string;
  readonly from: number;
  readonly next: number;
}

/** Keep the last bytes of both streams, in the order in which they came. */
export function createRecentOutput(maxBytes: number): RecentOutput {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let total = 0;
  return {
    push(bytes) {
      // A chunk is only valid during the call.
      const own = Buffer.from(bytes.length > maxBytes ? bytes.subarray(-maxBytes) : bytes);
      kept.push(own);
      keptBytes += own.length;
      total += bytes.length;
      if (keptBytes < 2 * maxBytes && kept.length < maxChunks) return;
      kept = [Buffer.concat(kept).subarray(-maxBytes)];
      keptBytes = kept[0]?.length ?? 0;
    },
    read(since) {
      const all = Buffer.concat(kept);
      const first = total - all.length;
      const from = Math.min(Math.max(since, first, total - maxBytes), total);
      const part = all.subarray(from - first);
      const whole = part.subarray(0, completeLength(part));
      return { text: whole.toString("utf8"), from, next: from + whole.length };
    },
  };
}

const maxChunks = 4096;

/** Without the start of a character whose other bytes have not come yet. */
function completeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
