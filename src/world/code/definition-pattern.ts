/** How lines that may define a name are looked for: without ripgrep, whoever mentions the name may define it. */
export function likelyDefinitions(
  name: string,
  options: { readonly ripgrep: boolean; readonly prefix?: boolean },
): { patterns: readonly string[]; regex: boolean; wholeWords?: boolean } {
  if (options.ripgrep) return { patterns: [definitionPattern(name, options)], regex: true };
  return { patterns: [name], regex: false, ...(options.prefix !== true && { wholeWords: true }) };
}

/**
 * A regular expression for ripgrep that finds lines which may define a name, in any of the languages; it takes
 * too many rather than too few. What is a definition the syntax trees of the files hit say.
 */
function definitionPattern(name: string, options: { readonly prefix?: boolean } = {}): string {
  const escaped = name.replaceAll(/[\\^$.*+?()[\]{}|#&~\-\s]/g, (char) =>
    /\s/.test(char) ? "\\s+" : `\\${char}`,
  );
  const word = `${edge(name[0], "start")}${escaped}${options.prefix === true ? "[\\w$]*" : edge(name.at(-1), "end")}`;
  return [
    // A keyword, and the name on the same line.
    `\\b(?:${keywords})\\b[^=;\\n]*${word}`,
    // A line that begins with the name, or with a type before it.
    `^\\s*(?:[\\w@*&<>\\[\\],.:?\\\\|"'~$]+\\s+)*[*&~#$.\\[("':@]*(?:[\\w$<>]+(?:\\.|::|->))*${word}["'\\])]*\\s*(?:[(:=?!<{,;\\[}]|$)`,
    // A member or key among others on one line, a type that ends with its name, a selector.
    `[{,;|}][\\s*&#.:'"]*${word}["']?\\s*[(:={,;}?!<]`,
  ].join("|");
}

const keywords =
  "function|class|interface|struct|enum|trait|type|def|fn|func|const|let|var|val|static|module|namespace|mod|union|define|macro_rules!?|macro|record|object|protocol|impl|package|typedef|attr_\\w+|define_method|alias|alias_method|event|delegate|property|sub|local|declare|export|readonly|public|private|protected|internal|case|get|set|async|keyframes";

/** A word's edge, where the name's own edge is a letter; `$` is one too. */
function edge(char: string | undefined, at: "start" | "end"): string {
  if (char === undefined || !/[\p{L}\p{N}_]/u.test(char)) return "";
  return at === "start" ? "\\b{start}" : "\\b{end}";
}
