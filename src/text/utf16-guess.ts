/** Tell UTF-16 without a BOM from other bytes with NULs in them; `undefined` where it is not that. */
export function guessUtf16(sample: Uint8Array): "utf16le" | "utf16be" | undefined {
  const length = Math.min(sample.length & ~1, 1 << 16);
  if (length < 2) return undefined;
  const nuls = [0, 0];
  let letters = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = sample[at] ?? 0;
    if (byte === 0) nuls[at & 1] = (nuls[at & 1] ?? 0) + 1;
    else if (byte < 0x7f) letters += 1;
  }
  const [even = 0, odd = 0] = nuls;
  if (even === odd) return undefined;
  const rest = length - even - odd;
  // Pairs of ASCII letters read as Han: plain text with a NUL somewhere is not UTF-16.
  if (letters * 10 > rest * 9 && Math.max(even, odd) * 5 < length) return undefined;
  if (odd > even) return readsAsText(sample, length, 1) ? "utf16le" : undefined;
  return readsAsText(sample, length, 0) ? "utf16be" : undefined;
}

/** Nearly all units are characters that texts are made of. */
function readsAsText(sample: Uint8Array, length: number, high: 0 | 1): boolean {
  let odd = 0;
  for (let at = 0; at < length; at += 2) {
    const unit = ((sample[at + high] ?? 0) << 8) | (sample[at + 1 - high] ?? 0);
    if (unit === 0) return false;
    if (!isTextUnit(unit)) odd += 1;
  }
  return odd * 100 <= length;
}

function isTextUnit(unit: number): boolean {
  if (unit < 0x20) return unit === 0x09 || unit === 0x0a || unit === 0x0d;
  if (unit < 0x7f) return true;
  // Latin to CJK symbols, Han, Hangul, surrogates, presentation and full-width forms.
  return (
    (unit >= 0xa0 && unit <= 0x33ff) ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xdfff) ||
    (unit >= 0xf900 && unit <= 0xffef)
  );
}
