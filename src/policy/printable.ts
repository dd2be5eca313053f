/**
 * Make a text that others chose safe to show a person who decides by it: one line, no control,
 * invisible or direction-changing characters, bounded.
 */
export function printable(text: string, longest = 500): string {
  // Most texts are plain; ASCII without control characters needs no second look.
  if (text.length <= longest && /^[\x20-\x7e]*$/.test(text)) return text;
  const shown = text.replaceAll(HIDDEN, (char) => String.raw`\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return shown.length > longest ? `${shown.slice(0, longest)}…` : shown;
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;
