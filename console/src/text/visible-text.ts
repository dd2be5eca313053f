/** A piece of text, and whether it stands for a character that cannot be seen. */
export interface TextPiece {
  readonly text: string;
  readonly hidden: boolean;
}

// Controls without tab and newline, direction marks, zero-width characters, tag characters, lone surrogates.
const unseen =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;

/** Split a text so that what is invisible or turns its direction can be shown by name. */
export function toVisiblePieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(unseen)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), hidden: false });
    pieces.push({ text: nameOf(match[0]), hidden: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), hidden: false });
  return pieces;
}

/** The same as one plain text, for titles and labels. */
export function toVisibleText(text: string): string {
  return text.replace(unseen, nameOf);
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
