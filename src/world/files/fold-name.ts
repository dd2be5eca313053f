/**
 * Fold a path so that names which some file system considers the same become equal: case, Unicode
 * composition and compatibility forms, characters that HFS+ ignores, and the dots and spaces that Windows
 * drops. Only deny rules compare folded names, so folding too much is safe.
 */
export function foldName(path: string): string {
  if (isPlain(path)) return path.toLowerCase();
  return path
    .replace(IGNORED, "")
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replaceAll("ς", "σ")
    .replace(IGNORED, "")
    .replace(/(?<=[^./\\])[. ]+(?=[/\\]|$)/g, "");
}

/** ASCII without trailing dots or spaces in any component. A loop, because this runs for every path of every call. */
function isPlain(path: string): boolean {
  let afterDot = false;
  for (let index = 0; index < path.length; index += 1) {
    const code = path.charCodeAt(index);
    if (code > 0x7e) return false;
    if (afterDot && (code === SLASH || code === BACKSLASH)) return false;
    afterDot = code === DOT || code === SPACE;
  }
  return !afterDot;
}

const SPACE = 0x20;
const DOT = 0x2e;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;

/** Code points that HFS+ ignores when it compares names, and soft hyphens and joiners. */
const IGNORED = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g;
