/** Words that make a name look like that of a secret. */
const secretWords = new Set([
  "apikey",
  "auth",
  "authorization",
  "bearer",
  "cookie",
  "credential",
  "credentials",
  "jwt",
  "passphrase",
  "passwd",
  "password",
  "pat",
  "pwd",
  "secret",
  "secrets",
  "token",
  "tokens",
]);

/** "key" alone names many harmless things, these pairs do not. */
const secretPairs =
  /(?:^|_)(?:api|access|account|app|auth|client|consumer|deploy|encryption|host|license|master|private|secret|service|session|signing|ssh|storage|webhook)_?keys?(?:_|$)/;

/** Harmless names that a word above would catch. */
const harmless = new Set([
  "pwd",
  "oldpwd",
  "ssh_auth_sock",
  "max_tokens",
  "maxtokens",
  "total_tokens",
  "tokens",
]);

/** A judge of names that remembers its verdicts: the same few names come again and again. */
export function createNameJudge(): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    if (!stems.test(name)) return false;
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= maxKnown) known.clear();
    const secret = isSecretName(name);
    known.set(name, secret);
    return secret;
  };
}

const maxKnown = 5000;

/** Every name of a secret has one of these in it; of a name in other letters the letters that they stand for count. */
const stems = /key|auth|bearer|cookie|credential|jwt|pass|pat|pwd|secret|token|[^\x20-\x7E]/i;

/** Whether a variable, header or field is named like a secret. */
export function isSecretName(name: string): boolean {
  if (!stems.test(name)) return false;
  const words = toWords(name);
  const joined = words.join("_");
  if (harmless.has(joined)) return false;
  if (words.some((word) => secretWords.has(word) || /(?:password|passwd|secret|apikey|token)$/.test(word)))
    return true;
  return (
    secretPairs.test(joined) ||
    (words.length > 1 && words.at(-1) === "key" && !harmlessKeys.has(words.at(-2) ?? ""))
  );
}

const harmlessKeys = new Set([
  "primary",
  "foreign",
  "sort",
  "partition",
  "public",
  "cache",
  "row",
  "group",
  "parent",
  "object",
]);

/** `apiKey`, `API-KEY` and `api.key` are all `api`, `key`. */
function toWords(name: string): string[] {
  return name
    .slice(0, 200)
    .normalize("NFKC")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
