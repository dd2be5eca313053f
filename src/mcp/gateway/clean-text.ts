/** Text without what a person cannot see. */
export interface CleanText {
  readonly text: string;
  /** Something was taken out. */
  readonly stripped: boolean;
}

/**
 * Controls other than tabs and line ends, and all that has no shape of its own: joiners, direction
 * marks, tags, variation selectors, fillers. Models read them, people do not.
 */
const hidden = /(?![\t\n\r])[\p{Cc}\p{Cf}\u2028\u2029\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;

/** Take out what is invisible. */
export function cleanText(text: string): CleanText {
  const shown = text.toWellFormed().replace(hidden, "");
  return { text: shown, stripped: shown !== text };
}

/** Whether a text holds anything that a person cannot see. */
export function hidesSomething(text: string): boolean {
  return cleanText(text).stripped;
}

/** A text for a message: every character that cannot be seen by its number. */
export function showText(text: string, limit = 80): string {
  const shown = text
    .toWellFormed()
    .slice(0, limit * 2)
    .replace(hidden, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
  return shown.length <= limit ? shown : `${shown.slice(0, limit - 1)}…`;
}
