/**
 * Whether a glob (`*`, `?`, `[…]`, `\`; no braces) matches an absolute path, name by name. Linear:
 * a `*` only ever backs up to the last one before it.
 */
export function matchGlob(pattern: string, path: string): boolean {
  const patterns = pattern.split("/").filter((name) => name !== "" && name !== ".");
  const names = path.split("/").filter((name) => name !== "");
  return patterns.length === names.length && patterns.every((one, at) => matchName(one, names[at]!));
}

function matchName(pattern: string, name: string): boolean {
  const tokens = toTokens(pattern);
  let at = 0;
  let to = 0;
  let star = -1;
  let mark = 0;
  while (to < name.length) {
    const token = tokens[at];
    if (token === "*") {
      star = at++;
      mark = to;
    } else if (token !== undefined && token(name[to]!)) {
      at++;
      to++;
    } else if (star >= 0) {
      at = star + 1;
      to = ++mark;
    } else return false;
  }
  while (tokens[at] === "*") at++;
  return at === tokens.length;
}

type Token = "*" | ((letter: string) => boolean);

function toTokens(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at]!;
    if (letter === "*") tokens.push("*");
    else if (letter === "?") tokens.push(() => true);
    else if (letter === "[" && pattern.indexOf("]", at + 2) > 0) {
      const end = pattern.indexOf("]", at + 2);
      tokens.push(toClass(pattern.slice(at + 1, end)));
      at = end;
    } else {
      const wanted = letter === "\\" ? (pattern[++at] ?? "\\") : letter;
      tokens.push((given) => given === wanted);
    }
  }
  return tokens;
}

/** A class such as `a-z` or `!abc`; a named one (`[:alpha:]`) may be anything. */
function toClass(body: string): (letter: string) => boolean {
  if (body.includes("[:")) return () => true;
  const not = body.startsWith("!") || body.startsWith("^");
  const inner = not ? body.slice(1) : body;
  const has = (letter: string): boolean => {
    for (let at = 0; at < inner.length; at++) {
      if (inner[at + 1] === "-" && at + 2 < inner.length) {
        if (letter >= inner[at]! && letter <= inner[at + 2]!) return true;
        at += 2;
      } else if (inner[at] === letter) return true;
    }
    return false;
  };
  return (letter) => has(letter) !== not;
}
