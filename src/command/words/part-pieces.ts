import type { ParsedScript, WordPart } from "unbash";
import { walkArithmetic } from "../walk-arithmetic.js";
import { forkScope, type Flow, type Scope } from "../scope.js";
import type { Walk } from "../walk.js";
import type { Taint } from "./field.js";
import { parameterPieces, simplePieces } from "./parameter-pieces.js";
import type { Piece } from "./piece.js";

export interface PartContext {
  readonly scope: Scope;
  readonly walk: Walk;
}

/** The pieces that a part of a word becomes; its substitutions are walked on the way. */
export function partPieces(part: WordPart, quoted: boolean, context: PartContext): Piece[] {
  switch (part.type) {
    case "Literal":
      return [{ text: part.value, quoted }];
    case "SingleQuoted":
      return [{ text: part.value, quoted: true }];
    case "AnsiCQuoted":
      return [{ text: part.value, quoted: true, moved: true, unsure: context.scope.plainSh }];
    case "DoubleQuoted":
    case "LocaleString": {
      const inner = part.parts.flatMap((child) => partPieces(child, true, context));
      // `"$@"` without arguments expands to no word.
      if (inner.length === 0 && part.parts.length === 1) return [];
      const translated = part.type === "LocaleString" ? { moved: true, unsure: context.scope.plainSh } : {};
      return [{ text: "", quoted: true, ...translated }, ...inner];
    }
    case "SimpleExpansion":
      return simplePieces(part.text, quoted, context.scope, context.walk);
    case "ParameterExpansion":
      return parameterPieces(part, quoted, context);
    case "CommandExpansion":
      return substitutionPieces(part.script, { text: part.text, quoted, context });
    case "ArithmeticExpansion":
      walkArithmetic(part.expression, context.scope, context.walk);
      // It can only be a number.
      return [{ text: part.text, unknown: true, quoted: true }];
    case "ProcessSubstitution":
      return [processPiece(part.script, part.text, context)];
    default:
      return globPieces(part, context);
  }
}

function globPieces(
  part: Extract<WordPart, { type: "Glob" | "ExtendedGlob" | "BraceExpansion" }>,
  context: PartContext,
): Piece[] {
  const inner = (part.parts ?? []).flatMap((child) => partPieces(child, false, context));
  const open = inner.find(({ unknown }) => unknown === true);
  if (open !== undefined) return [{ ...open, text: part.text, split: true }];
  // An extended glob matches more than a simple one can say.
  return [{ text: part.type === "ExtendedGlob" ? "*" : part.text, glob: true }];
}

interface Substitution {
  readonly text: string;
  readonly quoted: boolean;
  readonly context: PartContext;
}

function substitutionPieces(
  script: ParsedScript | undefined,
  { text, quoted, context }: Substitution,
): Piece[] {
  const taint = walkInner(script, "$(…)", context);
  const output = script && context.walk.resolve.output(script, context.scope, context.walk);
  if (output === undefined)
    return [{ text, quoted, split: !quoted, unknown: true, substituted: true, taint }];
  return [
    {
      text: output.text.replace(/\n+$/, ""),
      quoted,
      split: !quoted,
      moved: true,
      substituted: true,
      unsure: !output.sure,
      taint: output.taint ?? taint,
    },
  ];
}

function processPiece(script: ParsedScript | undefined, text: string, context: PartContext): Piece {
  return { text, quoted: true, unknown: true, taint: walkInner(script, "<(…)", context) };
}

/** Walk the commands of a substitution; returns whether it adds text that was never shown to anyone. */
function walkInner(
  script: ParsedScript | undefined,
  via: string,
  { scope, walk }: PartContext,
): Taint | undefined {
  if (script === undefined) {
    walk.unknown.add("a substitution could not be read");
    return undefined;
  }
  const flow: Flow = { taint: undefined };
  walk.script(script, forkScope(scope, { via: [...scope.via, via], flow, readers: [] }));
  return flow.taint;
}
