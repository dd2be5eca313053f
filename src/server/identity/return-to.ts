/** Nowhere that a URL of this server could lead to. */
const nowhere = "http://nowhere.invalid";
const maxChars = 2000;

/** A place in the console to go to after a login: a path on this server with what follows it, else the console itself. */
export function safeReturnTo(wanted: string | null): string {
  if (wanted === null || wanted.length > maxChars || !/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted)) return "/";
  // Browsers read a backslash as a slash, and skip line breaks: the parser that they use has the last word.
  const parsed = URL.canParse(wanted, nowhere) ? new URL(wanted, nowhere) : undefined;
  if (parsed?.origin !== nowhere || wanted.includes("\\")) return "/";
  if (/^\/(?:login|login-return|enter|api|mcp)(?:\/|$)/.test(parsed.pathname)) return "/";
  return parsed.pathname.startsWith("//") ? "/" : parsed.pathname + parsed.search + parsed.hash;
}
