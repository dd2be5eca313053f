import { shellQuote } from "../command/shell-quote.js";
import { toVisibleLine } from "../text/visible-text.js";

/**
 * Quote a word of a command that a person reads and pastes. What cannot be seen is written as its bytes (`$'a\x0ab'`,
 * in bash, zsh and ksh): written out in any other way, the shell would get another word.
 */
export function pasteQuote(text: string): string {
  if (toVisibleLine(text) === text) return shellQuote(text);
  const bytes = [...Buffer.from(text)].map((byte) => {
    const char = String.fromCharCode(byte);
    if (char === "\n") return "\\n";
    if (char === "'" || char === "\\") return `\\${char}`;
    return byte >= 0x20 && byte < 0x7f ? char : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `$'${bytes.join("")}'`;
}
