import { PatternError, escapeWildcard } from "../glob/wildcard.js";

/** One simple command of a line, as patterns: what was quoted is escaped. */
export type WordPatterns = readonly string[];

/** Split a line of a rule or example into commands and words. Real calls are parsed by the shell grammar. */
export function splitCommands(line: string): WordPatterns[] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  for (const [token] of line.matchAll(TOKENS)) {
    if (/^(?:[;|\n]|&&?|\|\|?|\|&)$/.test(token)) {
      endWord();
      if (words.length > 0) commands.push(words);
      words = [];
    } else if (/^\s/.test(token)) {
      endWord();
    } else {
      word = (word ?? "") + fromToken(token);
    }
  }
  endWord();
  return words.length > 0 ? [...commands, words] : commands;
}

/** Write words so that `splitCommands` gives back patterns that match only them. */
export function joinWords(words: readonly string[]): string {
  return words.map(quote).join(" ");
}

/** Quoted text, an escaped character, an operator, blanks, or plain text. */
const TOKENS = /'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|&&|\|\||\|&|[;&|\n]|[^\S\n]+|[^\s'"\\;&|]+|['"\\]/g;

function fromToken(token: string): string {
  if (token === "'" || token === '"') throw new PatternError("a quote is never closed");
  if (token === "\\") throw new PatternError(String.raw`a "\" at the end escapes nothing`);
  if (token.startsWith("'")) return escapeWildcard(token.slice(1, -1));
  if (token.startsWith('"')) return escapeWildcard(token.slice(1, -1).replaceAll(/\\(["\\$`])/g, "$1"));
  if (token.startsWith("\\")) return escapeWildcard(token.slice(1));
  return token;
}

function quote(word: string): string {
  if (/^[\w./:=@%+-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
