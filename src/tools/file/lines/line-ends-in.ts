import { type LineUnit, unitValue } from "../../../text/newline-counter.js";

/** The position after the given number of line ends, or how many line ends there are. */
export function endOfNth(
  bytes: Uint8Array,
  { length, unit, count }: { length: number; unit: LineUnit; count: number },
): { readonly end: number; readonly found: number } {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, length);
  const { width } = unit;
  let found = 0;
  let at = 0;
  while (found < count) {
    const next = width === 1 ? view.indexOf(unitValue(unit), at) : nextUnit(view, at, unit);
    if (next === -1) return { end: length, found };
    at = next + width;
    found += 1;
  }
  return { end: at, found };
}

function nextUnit(view: Buffer, from: number, unit: LineUnit): number {
  const value = unitValue(unit);
  for (let at = from; at + unit.width <= view.length; at += unit.width) {
    if (view.readUIntLE(at, unit.width) === value) return at;
  }
  return -1;
}
