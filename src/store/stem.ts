/**
 * What the forms of an English word have in common, roughly: `caching`, `caches`, `cached` and `cache` are one.
 * It need not be a word, only the same for all of them; a word of another language is left as it is or cut
 * alike in queries and texts.
 */
export function stem(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  const one = singular(word);
  if (one.length < 3) return word;
  const bare = one.replace(/(?:ied$|(?:ing|ed|er|or|ion|ment|ly|e)$)/, (ending) =>
    ending === "ied" ? "y" : "",
  );
  if (bare.length < 3) return one;
  return bare.replace(/([bdfgmnprt])\1$/, "$1");
}

function singular(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.replace(/(?<=s|x|z|ch|sh)es$|s$/, "");
}
