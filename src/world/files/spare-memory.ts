/** Memory for large files that is used again: what is new to the process has to be mapped page by page, and to be collected. */
export interface SpareMemory {
  /** Memory of at least this size, which nobody else has. */
  take(size: number): Buffer;
  /** Let the next one have it. Nothing may read or write it any more. */
  giveBack(bytes: Uint8Array): void;
}

/** Smaller buffers come from where `malloc` has them ready. */
export const minSpareBytes = 1 << 20;
const maxSpareBytes = 1 << 26;
/** A file that grows a little finds room the next time. */
const slackBytes = 1 << 20;

/** Keep what was given back last, until memory is collected. */
export function createSpareMemory(): SpareMemory {
  let spare: WeakRef<ArrayBuffer> | undefined;
  return {
    take(size) {
      const found = spare?.deref();
      if (found === undefined || found.byteLength < size) return Buffer.allocUnsafeSlow(size + slackBytes);
      spare = undefined;
      return Buffer.from(found);
    },
    giveBack({ buffer }) {
      if (buffer.byteLength <= maxSpareBytes && buffer instanceof ArrayBuffer) spare = new WeakRef(buffer);
    },
  };
}
