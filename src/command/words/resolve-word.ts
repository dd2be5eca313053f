import type { Word, WordPart } from "unbash";
import type { Scope } from "../scope.js";
import { quietly, type Walk } from "../walk.js";
import { expandBraces } from "./expand-braces.js";
import { knownField, unknownField, type Field } from "./field.js";
import { asUnsure, toFields, toOneField } from "./join-pieces.js";
import { partPieces } from "./part-pieces.js";
import type { Piece } from "./piece.js";
import { grammar } from "../grammar.js";

/** The fields of a word after expanding braces, tilde, variables and substitutions and splitting; globs are left as they are. */
export function resolveWord(word: Word, scope: Scope, walk: Walk): readonly Field[] {
  const { parts, text } = word;
  if (parts === undefined) {
    if (!text.startsWith("~")) return [knownField(word.value)];
    return [toOneField(withTilde(text, [{ text: word.value }], scope, walk))];
  }
  if (parts.some(({ type }) => type === "BraceExpansion")) return resolveBraces(word, scope, walk);
  const ifs = scope.vars.get("IFS");
  return toFields(withTilde(text, piecesOf(parts, scope, walk), scope, walk), {
    source: text,
    blanks: ifs?.text ?? ifs?.guess ?? " \t\n",
    unsure: ifs !== undefined && ifs.text === undefined,
  });
}

/** The value of a word that is not split: in an assignment, a here-document, a redirection. */
export function resolveText(word: Pick<Word, "text" | "value" | "parts">, scope: Scope, walk: Walk): Field {
  const { parts, text } = word;
  if (parts === undefined && !text.startsWith("~")) return knownField(word.value);
  const pieces = parts === undefined ? [{ text: word.value }] : piecesOf(parts, scope, walk);
  const { pattern: _, ...field } = toOneField(withTilde(text, pieces, scope, walk));
  return field;
}

/** The text of parts that are quoted as a whole, such as a here-document. */
export function resolveParts(parts: readonly WordPart[], scope: Scope, walk: Walk): Field {
  return toOneField(parts.flatMap((part) => partPieces(part, true, { scope, walk })));
}

function piecesOf(parts: readonly WordPart[], scope: Scope, walk: Walk): Piece[] {
  return parts.flatMap((part) => partPieces(part, false, { scope, walk }));
}

function resolveBraces(word: Word, scope: Scope, walk: Walk): readonly Field[] {
  const words = expandBraces(word.text);
  // Substitutions run even if their word is not used.
  const whole = piecesOf(word.parts ?? [], scope, walk);
  if (words === undefined) return [unknownField(word.text)];
  const bare = whole.every(({ unknown }) => unknown !== true);
  const quiet = quietly(walk);
  const fields = words.flatMap((text) => {
    // An empty alternative between two commas expands to no word.
    if (text === "") return [];
    const parsed = text === word.text ? undefined : parseWord(text);
    return parsed === undefined ? [unknownField(text)] : resolveWord(parsed, scope, quiet);
  });
  // A plain sh does not expand braces.
  return bare && !scope.plainSh ? fields : fields.map(asUnsure);
}

/** Read a single word; `#` at its start does not begin a comment here. */
function parseWord(text: string): Word | undefined {
  const [statement, ...more] = grammar().parse(text.startsWith("#") ? `_ \\${text}` : `_ ${text}`).commands;
  if (statement === undefined || more.length > 0 || statement.command.type !== "Command") return undefined;
  const [word, ...others] = statement.command.suffix;
  return word?.type === "Word" && others.length === 0 ? word : undefined;
}

/** `~`, `~/…`, `~name/…`, `~+`: only where the name is not quoted. */
function withTilde(text: string, pieces: Piece[], scope: Scope, walk: Walk): Piece[] {
  const [first, ...rest] = pieces;
  if (!text.startsWith("~") || first?.text === undefined) return pieces;
  const name = /^~([^/\\'"$`]*)(?=\/|$)/.exec(text)?.[1];
  if (name === undefined) return pieces;
  const tail = first.text.slice(name.length + 1);
  const home = homeOf(name, scope, walk);
  if (home === undefined) return [{ text: `~${name}`, unknown: true }, { ...first, text: tail }, ...rest];
  return [{ text: home, quoted: true, moved: true }, { ...first, text: tail }, ...rest];
}

function homeOf(name: string, scope: Scope, walk: Walk): string | undefined {
  if (name === "") {
    const own = scope.vars.get("HOME");
    return own === undefined ? walk.place.home : own.text;
  }
  if (name === "+") return scope.cwds?.length === 1 ? scope.cwds[0] : undefined;
  if (name === "root") return "/root";
  return /^[a-z_][\w-]*$/i.test(name) ? `/home/${name}` : undefined;
}
