/** Quote a text as one word for any POSIX shell. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_/.,:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
