import { plural } from "../text/plural.js";

/** How long ago something was, as short text. */
export function ago(time: number, now: number): string {
  const seconds = Math.max(Math.round((now - time) / 1000), 0);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 86_400 * 60) return `${plural(Math.floor(seconds / 86_400), "day")} ago`;
  return new Date(time).toISOString().slice(0, 10);
}
