/** Milliseconds in the unit that fits. */
export function toDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "–";
  if (ms === 0) return "0 ms";
  if (ms < 1) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** A time of day with seconds; with its date where that is not today. */
export function toTime(time: number, now = Date.now()): string {
  const date = new Date(time);
  const of = clock.format(date);
  const today = new Date(now);
  const same = date.getDate() === today.getDate() && Math.abs(now - time) < 86_400_000;
  return same ? of : `${date.toLocaleDateString()} ${of}`;
}

/** Bytes in the unit that fits. */
export function toBytes(bytes: number | null): string {
  if (bytes === null) return "–";
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
