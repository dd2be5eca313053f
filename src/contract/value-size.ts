/** About how many characters a JSON value has as text; it is not looked at further once there are `enough`. */
export function valueSize(value: unknown, enough: number): number {
  let size = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && size <= enough) {
    const next = waiting.pop();
    if (typeof next === "string") size += next.length + 3;
    else if (Array.isArray(next)) for (const item of next) waiting.push(item);
    else if (typeof next === "object" && next !== null) {
      for (const [key, item] of Object.entries(next)) {
        size += key.length + 4;
        waiting.push(item);
      }
    } else size += 6;
  }
  return size;
}
