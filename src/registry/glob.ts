/**
 * Whether a whole name fits a glob of `*` and `?`. Two pointers and one step back instead of a
 * regular expression: at most pattern × name steps, so that no pattern can hang the process.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < name.length) {
    if (pattern[p] === "*") {
      star = p++;
      resume = n;
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === name[n])) {
      p++;
      n++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}

/** Whether the text holds a wildcard at all. */
export function isGlob(text: string): boolean {
  return text.includes("*") || text.includes("?");
}
