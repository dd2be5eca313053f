/** Code points that hide, steer, join or imitate, and what they act upon. */
const nasty = [
  0, 7, 8, 9, 10, 13, 0x1b, 0x5b, 0x5d, 0x5c, 0x6d, 0x7f, 0x85, 0x9b, 0xa0, 0xad, 0x200b, 0x200d, 0x200e,
  0x202e, 0x2066, 0x2028, 0x2029, 0x3000, 0x3164, 0xfe0f, 0xfeff, 0xfffe, 0xd800, 0xdc00, 0xdfff, 0xe000,
  0xe0041, 0xe007f, 0xe0100, 0x301, 0x338, 0x20e3, 0x1f468, 0x1f3fd, 0x1f1e9, 0x1f1ea, 0x1f3f4, 0x2764,
  0x27e8, 0x27e9, 0x55, 0x2b, 0x31, 0x61, 0x430, 0x3b1, 0x5d0, 0x627, 0x65e5, 0x20,
];

/** A text of up to sixty code points over all of Unicode, lone surrogates included; the same for the same seed. */
export function randomText(seed: number): string {
  let state = seed * 2_654_435_761;
  const below = (limit: number): number => {
    // A small generator of known quality (mulberry32), so that a failure can be repeated.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  const pick = (): number => {
    const kind = below(10);
    if (kind < 5) return nasty[below(nasty.length)] ?? 0;
    if (kind < 7) return below(0x250);
    if (kind < 9) return below(0x10000);
    return below(0x110000);
  };
  return Array.from({ length: below(60) }, () => String.fromCodePoint(pick())).join("");
}
