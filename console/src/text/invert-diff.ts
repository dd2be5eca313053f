import { formatPatch, parsePatch, reversePatch } from "diff";

/** The diff of a change, from the diff that takes it back; one that cannot be read stays as it is. */
export function invertDiff(diff: string): string {
  try {
    return parsePatch(diff)
      .toReversed()
      .map((file) => formatPatch(reversePatch(file)))
      .join("\n");
  } catch {
    return diff;
  }
}
