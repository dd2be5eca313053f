/**
 * A plain reading of the `*** Begin Patch` format, written from its description, to compare with: for each hunk find the
 * headings one after the other, then the first place below where the old lines stand, and put the new lines there.
 */
export function applyPlainly(file: string, patch: string): string | undefined {
  const lines = file.split("\n").slice(0, -1);
  const original = [...lines];
  const body = patch.split("\n").slice(2, -2);
  let at = 0;
  for (const hunk of splitHunks(body)) {
    for (const heading of hunk.headings) {
      const found = lines.findIndex((line, index) => index >= at && line.trim() === heading);
      // An earlier hunk may have passed the heading already.
      if (found === -1 && !original.some((line) => line.trim() === heading)) return undefined;
      at = found === -1 ? at : found + 1;
    }
    const last = lines.length - hunk.old.length;
    const first = hunk.old.length === 0 && hunk.headings.length === 0 ? lines.length : at;
    let place = -1;
    for (let from = first; from <= last && place === -1; from += 1) {
      if (hunk.atEnd && from !== last) continue;
      if (hunk.old.every((line, index) => lines[from + index] === line)) place = from;
    }
    if (place === -1) return undefined;
    lines.splice(place, hunk.old.length, ...hunk.now);
    at = place + hunk.now.length;
  }
  return lines.map((line) => `${line}\n`).join("");
}

interface PlainHunk {
  readonly headings: string[];
  readonly old: string[];
  readonly now: string[];
  atEnd: boolean;
}

function splitHunks(body: readonly string[]): PlainHunk[] {
  const hunks: PlainHunk[] = [];
  let isOpen = false;
  for (const line of body) {
    if (line.startsWith("@@") && !isOpen) {
      hunks.push({ headings: [], old: [], now: [], atEnd: false });
      isOpen = true;
    }
    const hunk = hunks.at(-1) as PlainHunk;
    if (line.startsWith("@@")) {
      if (line.length > 2) hunk.headings.push(line.slice(3).trim());
      continue;
    }
    isOpen = false;
    if (line === "*** End of File") hunk.atEnd = true;
    else {
      if (!line.startsWith("+")) hunk.old.push(line.slice(1));
      if (!line.startsWith("-")) hunk.now.push(line.slice(1));
    }
  }
  return hunks;
}
