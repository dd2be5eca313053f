const MiB = 1024 * 1024;

/** A size for messages. */
export function formatBytes(bytes: number): string {
  return bytes >= MiB ? `${Math.round(bytes / MiB)} MiB` : `${bytes} bytes`;
}
