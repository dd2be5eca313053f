/** Write a file's name as git does in diffs: quoted where it has control characters, quotes or backslashes. */
export function quoteGitPath(path: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what has to be quoted
  if (!/[\u0000-\u001F\u007F"\\]/.test(path)) return path;
  // oxlint-disable-next-line no-control-regex -- as above
  return `"${path.replaceAll(/[\u0000-\u001F\u007F"\\]/g, escapeChar)}"`;
}

/** Read a quoted name, with the octal bytes that git writes for letters beyond ASCII. */
export function unquoteGitPath(quoted: string): string | undefined {
  const match = /^"((?:[^"\\]|\\.)*)"/.exec(quoted);
  if (match?.[1] === undefined) return undefined;
  const bytes: Buffer[] = [];
  for (const [part] of match[1].matchAll(/\\[0-7]{1,3}|\\.|[^\\]+/gs)) bytes.push(unescapePart(part));
  return Buffer.concat(bytes).toString("utf8");
}

function escapeChar(char: string): string {
  const letter = [...letters].find(([, meant]) => meant === char)?.[0];
  if (letter !== undefined) return `\\${letter}`;
  return `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
}

function unescapePart(part: string): Buffer {
  if (!part.startsWith("\\")) return Buffer.from(part, "utf8");
  const rest = part.slice(1);
  if (/^[0-7]/.test(rest)) return Buffer.from([Number.parseInt(rest, 8) & 0xff]);
  return Buffer.from(letters.get(rest) ?? rest, "utf8");
}

const letters: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ['"', '"'],
  ["\\", "\\"],
]);
