/** Collects bytes up to a limit. */
export interface ByteSink {
  /** Add bytes; `false` once there was more than the limit. */
  add(chunk: Uint8Array): boolean;
  bytes(): Uint8Array;
}

/**
 * Make a sink. It grows one buffer instead of keeping the chunks: ten million chunks of
 * one byte would otherwise take a hundred times the memory of what they hold.
 */
export function createByteSink(limit: number): ByteSink {
  let buffer: Uint8Array = new Uint8Array(0);
  let length = 0;
  return {
    add(chunk) {
      const fits = Math.min(chunk.length, limit - length);
      const part = fits === chunk.length ? chunk : chunk.subarray(0, fits);
      if (length === 0) buffer = part;
      else {
        if (length + fits > buffer.length)
          buffer = grow(buffer, length, Math.min(limit, (length + fits) * 2));
        buffer.set(part, length);
      }
      length += fits;
      return fits === chunk.length;
    },
    bytes: () => buffer.subarray(0, length),
  };
}

function grow(buffer: Uint8Array, length: number, size: number): Uint8Array {
  const larger = new Uint8Array(size);
  larger.set(buffer.subarray(0, length));
  return larger;
}
