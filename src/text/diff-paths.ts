import { unquoteGitPath } from "./git-path.js";

/** The name in a header line: quoted or not, with or without a time after it. */
export function headerPath(value: string): string {
  const text = value.replace(/\r$/, "");
  if (text.startsWith('"')) return unquoteGitPath(text) ?? text;
  const tab = text.indexOf("\t");
  const name = tab === -1 ? text.replace(timeAfterName, "") : text.slice(0, tab);
  return name.trimEnd();
}

/** "2024-05-01 10:00:00.000000000 +0200", as diff writes it, where blanks took the place of the tab. */
const timeAfterName = / \d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?( ?([+-]\d\d:?\d\d|Z))?$/;

/** Whether a name means a file that does not exist. */
export function isNoFile(name: string): boolean {
  return name === "/dev/null" || name === "dev/null" || name.toUpperCase() === "NUL";
}

/** The two names of a "diff --git" line; unquoted names with blanks are told apart by being the same. */
export function gitNames(rest: string): readonly [string, string] {
  const text = rest.replace(/\r$/, "");
  const first = text.startsWith('"') ? /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0] : undefined;
  if (first !== undefined) return [headerPath(first), headerPath(text.slice(first.length + 1))];
  if (text.endsWith('"')) {
    const quote = text.indexOf(' "');
    return [text.slice(0, quote), headerPath(text.slice(quote + 1))];
  }
  const middle = (text.length - 1) / 2;
  const halves = [text.slice(0, middle), text.slice(middle + 1)] as const;
  if (Number.isInteger(middle) && text[middle] === " " && stripped(halves[0]) === stripped(halves[1]))
    return halves;
  const blank = text.indexOf(" ");
  return blank === -1 ? [text, text] : [text.slice(0, blank), text.slice(blank + 1)];
}

/** Take the prefixes away by which git tells the old side from the new, where they are prefixes. */
export function sameRoot(oldName: string, newName: string): readonly [string, string] {
  if (isNoFile(oldName)) return [oldName, newName.replace(/^[biwco]\//, "")];
  if (isNoFile(newName)) return [oldName.replace(/^[aicwo]\//, ""), newName];
  const pair = `${prefixOf(oldName)}${prefixOf(newName)}`;
  const isPair = pairs.has(pair);
  if (isPair) return [stripped(oldName), stripped(newName)];
  // One side prefixed and the other not: it was a prefix if that makes them the same.
  if (stripped(oldName) === newName) return [newName, newName];
  if (stripped(newName) === oldName) return [oldName, oldName];
  return [oldName, newName];
}

/** Whether two header lines can mean the same file, one of them possibly without its prefix. */
export function namesAgree(one: string, other: string): boolean {
  return one === other || stripped(one) === other || one === stripped(other);
}

/** Git's own, and those of diff.mnemonicPrefix. */
const pairs: ReadonlySet<string> = new Set([
  "a/b/",
  "i/w/",
  "c/i/",
  "c/w/",
  "o/w/",
  "b/a/",
  "w/i/",
  "w/c/",
  "i/c/",
]);

function prefixOf(name: string): string {
  return /^[a-z]\//.exec(name)?.[0] ?? "";
}

function stripped(name: string): string {
  return name.slice(prefixOf(name).length);
}
