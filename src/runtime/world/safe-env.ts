/** Variables of the host that are not secret and that programs need. */
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

/** The initial environment of a session: an allow-list of the host's variables. */
export function safeEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(env).filter(([name]) => harmless.has(name) || name.startsWith("LC_"));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
