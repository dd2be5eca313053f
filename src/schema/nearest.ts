/** The candidate that was probably meant: equal except for case and separators, or a few typos away. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (typeof name !== "string" || name.length > maxNameLength) return undefined;
  const wanted = fold(name);
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.floor(wanted.length / 3)) + 1;
  let looked = 0;
  for (const candidate of candidates) {
    if (++looked > maxCandidates) break;
    if (candidate.length > maxNameLength) continue;
    const folded = fold(candidate);
    if (folded === wanted) return candidate;
    const distance = editDistance(wanted, folded, bestDistance - 1);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

// Both bound the cost: hostile names and huge catalogues end in no suggestion, not in a wait.
const maxNameLength = 128;
const maxCandidates = 20_000;

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "");
}

/** Optimal string alignment distance; any number above `limit` stands for "too far". */
function editDistance(a: string, b: string, limit: number): number {
  if (limit < 1 || Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      }
      current.push(cost);
      if (cost < least) least = cost;
    }
    // Neighbouring rows differ by at most one and a swap looks back two rows: beyond this, no way back.
    if (least > limit + 1) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
