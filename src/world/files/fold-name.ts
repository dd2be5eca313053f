/**
 * Fold a path so that names which some file system takes for the same become equal:
 * case, Unicode composition and compatibility forms, characters that HFS+ ignores, and the
 * dots and spaces that Windows drops. Only deny rules compare folded, so folding too much is safe.
 */
export function foldName(path: string): string {
  if (PLAIN.test(path)) return path.toLowerCase();
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

/** ASCII without trailing dots or spaces in any component. */
const PLAIN = /^(?![^]*[. ](?:[/\\]|$))[\x20-\x7e]*$/;

/** Code points that HFS+ leaves out when it compares names, and soft hyphens and joiners. */
const IGNORED = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g;
