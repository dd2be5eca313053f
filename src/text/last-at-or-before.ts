/** The last of some ascending positions that is at or before another one; 0 where none is. */
export function lastAtOrBefore(count: number, positionOf: (at: number) => number, position: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (positionOf(middle) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
