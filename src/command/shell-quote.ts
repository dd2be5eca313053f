/** Quote a text as one word for any POSIX shell. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_/.,:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A program with its arguments as one line; a script that is handed to a shell is the line itself. */
export function toShellLine(words: readonly string[]): string {
  const [shell = "", flag = "", script] = words;
  if (words.length === 3 && /^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh$/.test(shell) && /^-l?c$/.test(flag))
    return script ?? "";
  return words.map(shellQuote).join(" ");
}
