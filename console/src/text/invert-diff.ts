import { formatPatch, parsePatch, reversePatch, type StructuredPatch } from "diff";

/** The diff of a change, from the diff that takes it back; one that cannot be read stays as it is. */
export function invertDiff(diff: string): string {
  try {
    return parsePatch(diff)
      .toReversed()
      .map((file) => formatPatch(inUsualOrder(reversePatch(file))))
      .join("\n");
  } catch {
    return diff;
  }
}

/** As a diff is written: the file before is `a/`, and what was removed stands above what was added. */
function inUsualOrder(file: StructuredPatch): StructuredPatch {
  return {
    ...file,
    oldFileName: file.oldFileName?.replace(/^b\//, "a/"),
    newFileName: file.newFileName?.replace(/^a\//, "b/"),
    hunks: file.hunks.map((hunk) => ({ ...hunk, lines: removedFirst(hunk.lines) })),
  };
}

function removedFirst(lines: readonly string[]): string[] {
  const sorted: string[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  let last = sorted;
  for (const line of lines) {
    // "\\ No newline at end of file" belongs to the line above it.
    if (line.startsWith("-")) last = removed;
    else if (line.startsWith("+")) last = added;
    else if (!line.startsWith("\\")) {
      sorted.push(...removed, ...added);
      [removed, added] = [[], []];
      last = sorted;
    }
    last.push(line);
  }
  return [...sorted, ...removed, ...added];
}
