/** A count with its word: `1 byte`, `2 bytes`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
