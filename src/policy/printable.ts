import { once } from "../contract/once.js";

/**
 * Make a text that others chose fit to be part of a message or a rule's wording: one line, no control, invisible or
 * direction-changing characters, bounded. Escaped rather than in the visible form of `text/visible-text.ts`, which
 * every message goes through once more when it is shown to a person.
 */
export function printable(text: string, maxLength = 500): string {
  // Most texts are plain; ASCII without control characters needs no second look.
  if (text.length <= maxLength && /^[\x20-\x7e]*$/.test(text)) return text;
  const shown = text.replaceAll(
    HIDDEN(),
    (char) => String.raw`\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
  if (shown.length <= maxLength) return shown;
  return `${shown.slice(0, maxLength)}… (${shown.length - maxLength} more characters)`;
}

const HIDDEN = once(() => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu);
