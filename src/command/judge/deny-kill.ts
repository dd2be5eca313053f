import type { JudgedCommand } from "./judged-command.js";

/** Ending all processes, the first of all, or all of a user. */
export function denyKill({ name, texts }: JudgedCommand): string | undefined {
  if (name === "kill") return killsAll(texts) ? "it ends all processes" : undefined;
  const patterns = texts.filter((text) => !text.startsWith("-"));
  if (texts.some((text) => /^-\w*r/.test(text) || text === "--regexp") || name === "pkill") {
    if (patterns.some((text) => /^(?:\.[*+]?|\^|\$|\^?\.\*\$?|\[a-z\]|)$/.test(text)))
      return "it ends all processes";
  }
  const byUser = texts.some(
    (text) => /^-\w*[uU]$/.test(text) || text.startsWith("--user") || text === "--euid" || text === "--uid",
  );
  return byUser && patterns.length <= 1 && !texts.some((text) => /^-\w*[fx]$/.test(text))
    ? "it ends all processes of a user"
    : undefined;
}

/** After the signal, -1 means everybody. */
function killsAll(texts: readonly string[]): boolean {
  // Signal 0 only asks whether somebody is there.
  if (texts.some((text) => text === "-l" || text === "-L") || texts[0] === "-0") return false;
  // Other signals only tell the first process something.
  const ends = !/^-(?!9$|15$|KILL$|TERM$|SIGKILL$|SIGTERM$|s$|n$|-)/.test(texts[0] ?? "");
  let rest = texts;
  if (/^-(?:s|n|-signal)$/.test(rest[0] ?? "")) rest = rest.slice(2);
  else if (/^-(?:\d+|[A-Z]\w*|-signal=.*)$/i.test(rest[0] ?? "")) rest = rest.slice(1);
  return rest.some((text) => text === "-1" || (ends && text === "1"));
}
