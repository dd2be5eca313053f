import { ToolValidationError } from "../../contract/errors.js";
import { compilePathPattern } from "../../glob/path-pattern.js";
import { PatternError } from "../../glob/wildcard.js";
import { languageOfName } from "../../text/detect-language.js";
import type { FileScope } from "./worker/messages.js";

/** A test for paths relative to the workspace. Throws a `PatternError`. */
export function compileScope({ below, language, glob }: FileScope): (path: string) => boolean {
  const wanted = language === undefined ? undefined : languageNames(language);
  const pattern = glob === undefined ? undefined : compilePathPattern(glob);
  const inside = `${below}/`;
  return (path) => {
    if (below !== "" && path !== below && !path.startsWith(inside)) return false;
    // A script without an ending shows its language only when it is read.
    if (wanted !== undefined && !wanted.has(languageOfName(path) ?? "")) return false;
    if (pattern === undefined) return true;
    const own = below === "" || path === below ? path : path.slice(inside.length);
    const name = path.slice(path.lastIndexOf("/") + 1);
    return pattern.matches(own, name) || (own !== path && pattern.matches(path, name));
  };
}

/** The same for a scope that a caller wrote: a bad glob is refused with what is wrong with it. */
export function compileGlobScope(scope: FileScope): (path: string) => boolean {
  try {
    return compileScope(scope);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ToolValidationError(
      `The glob ${JSON.stringify(scope.glob)} cannot be used: ${error.message}.`,
      {
        code: "VALUE_INVALID",
        hint: "Use *, ?, [a-z], {a,b} and ** for any directories.",
      },
    );
  }
}

/** A language by any of the names that people use, and what belongs to it. */
function languageNames(language: string): ReadonlySet<string> {
  const lower = language.trim().toLowerCase();
  const named = aliases.get(lower) ?? languageOfName(`x.${lower}`) ?? lower;
  return new Set(families.get(lower) ?? families.get(named) ?? [named]);
}

const aliases: ReadonlyMap<string, string> = new Map([
  ["c++", "cpp"],
  ["c#", "csharp"],
  ["cs", "csharp"],
  ["golang", "go"],
  ["node", "javascript"],
  ["shell", "bash"],
  ["sh", "bash"],
  ["zsh", "bash"],
  ["ps1", "powershell"],
]);

const families: ReadonlyMap<string, readonly string[]> = new Map([
  ["typescript", ["typescript", "tsx"]],
  ["javascript", ["javascript", "jsx"]],
  ["bash", ["bash", "shell", "sh", "zsh"]],
  ["cpp", ["cpp", "c++"]],
  ["csharp", ["csharp", "c#"]],
]);
