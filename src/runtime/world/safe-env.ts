/** Variables of the host that say nothing secret and that programs need. */
const harmless = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TERM",
  "TMPDIR",
  "COLORTERM",
]);

/** What a session's environment starts with: an allow-list, never the whole of the host's. */
export function safeEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(env).filter(([name]) => harmless.has(name) || name.startsWith("LC_"));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
