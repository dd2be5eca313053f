/** An attribute of a `.gitattributes` file that names a program of the settings, such as `filter=x`. */
export function riskyAttribute(text: string): string | undefined {
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    // A pattern may be quoted and hold spaces; which word is the pattern does not matter for finding a driver.
    const risky = line.split(/\s+/).find(isRisky);
    if (risky !== undefined) return risky;
  }
  return undefined;
}

/** What git knows by itself, without a program. */
const known: Readonly<Record<string, ReadonlySet<string>>> = {
  filter: new Set<string>(),
  merge: new Set(["text", "binary", "union"]),
  diff: new Set(
    `ada bash bibtex cpp csharp css dts elixir fortran fountain golang html ini java kotlin markdown matlab objc
    pascal perl php python r ruby rust scheme tex`.split(/\s+/),
  ),
};

function isRisky(word: string): boolean {
  const [, name, value = ""] = /^(filter|merge|diff)=(.*)$/i.exec(word.replaceAll('"', "")) ?? [];
  if (name === undefined) return false;
  return known[name.toLowerCase()]?.has(value) !== true;
}
