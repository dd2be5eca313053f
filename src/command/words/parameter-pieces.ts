import type { ParameterExpansionPart, Word } from "unbash";
import type { Scope, Value } from "../scope.js";
import type { Walk } from "../walk.js";
import { changeText } from "./change-text.js";
import type { Field } from "./field.js";
import type { PartContext } from "./part-pieces.js";
import type { Piece } from "./piece.js";

/** `$name`, `$1`, `$@` and the like. */
export function simplePieces(text: string, quoted: boolean, scope: Scope, walk: Walk): Piece[] {
  const value = valueOf(text.slice(1), scope, walk);
  return valuePieces(quoted && text === "$*" ? asOne(value, scope) : value, text, quoted);
}

/** `"$*"` is one word, its parts joined by the first letter of `IFS`. */
function asOne(value: Value | undefined, scope: Scope): Value | undefined {
  const ifs = scope.vars.get("IFS");
  const sign = ifs === undefined ? " " : ifs.text?.slice(0, 1);
  const { items } = value ?? {};
  if (items === undefined || sign === undefined || items.some(({ known }) => !known)) return undefined;
  return { text: items.map(({ text }) => text).join(sign) };
}

/** `${name…}`, with everything that may follow the name. */
export function parameterPieces(
  part: ParameterExpansionPart,
  quoted: boolean,
  { scope, walk }: PartContext,
): Piece[] {
  const { parameter, operation, prefix, index, text } = part;
  const field = (word: Word): Field => walk.resolve.text(word, scope, walk);
  const at = index && field(index);
  const whole = at === undefined ? valueOf(parameter, scope, walk) : elementOf(parameter, at.text, scope);
  const base = quoted && (at?.text ?? parameter) === "*" ? asOne(whole, scope) : whole;
  // An index is arithmetic: its names are evaluated, which can run commands.
  if (at !== undefined && !/^(?:[@*]|\d+)$/.test(at.text)) walk.unknown.add(`the index in ${text}`);
  if (operation === undefined) return lengthOrValue(base, part, quoted, { scope, walk });
  if (prefix !== undefined || operation.type === "Names") return unknownPieces(part, quoted, base);
  switch (operation.type) {
    case "Default":
      return defaultPieces(part, { base, operand: field(operation.operand), quoted, scope });
    case "Transform":
      // `@P` runs the substitutions in the value; operators that are added to bash later may too.
      walk.unknown.add(`the transformation ${text}`);
      return unknownPieces(part, quoted, base);
    case "Unknown":
      walk.unknown.add(`the expansion ${text}`);
      return unknownPieces(part, quoted, base);
    default: {
      const changed = changeText(base?.text, operation, field, walk);
      if (changed === undefined) return unknownPieces(part, quoted, base);
      return [{ text: changed, quoted, split: !quoted, moved: true, taint: base?.taint }];
    }
  }
}

function lengthOrValue(
  base: Value | undefined,
  { prefix, parameter, text }: ParameterExpansionPart,
  quoted: boolean,
  { scope, walk }: PartContext,
): Piece[] {
  if (prefix === undefined) return valuePieces(base, text, quoted);
  if (prefix === "#") {
    const known = base?.text;
    return [
      {
        text: known === undefined ? text : String(known.length),
        quoted: true,
        moved: true,
        unknown: known === undefined,
      },
    ];
  }
  const name = valueOf(parameter, scope, walk)?.text;
  const target = name !== undefined && /^\w+$/.test(name) ? valueOf(name, scope, walk) : undefined;
  return valuePieces(target, text, quoted);
}

interface DefaultParts {
  readonly base: Value | undefined;
  readonly operand: Field;
  readonly quoted: boolean;
  readonly scope: Scope;
}

function defaultPieces(
  part: ParameterExpansionPart,
  { base, operand, quoted, scope }: DefaultParts,
): Piece[] {
  const operator = (part.operation as { operator: string }).operator;
  const given = base?.text;
  if (operator.endsWith("=")) scope.vars.set(part.parameter, {});
  if (given !== undefined && !(operator.startsWith(":") && given === "")) {
    if (operator.endsWith("+"))
      return [{ text: operand.text, quoted, split: !quoted, moved: true, unknown: !operand.known }];
    return valuePieces(base, part.text, quoted);
  }
  if (given === "" && !operator.endsWith("?") && !operator.endsWith("+")) {
    return [
      {
        text: operand.text,
        quoted,
        split: !quoted,
        moved: true,
        unknown: !operand.known,
        taint: operand.taint,
      },
    ];
  }
  const likely = operand.known && /[-=]$/.test(operator) ? operand.text : undefined;
  return unknownPieces(part, quoted, base).map((piece) => ({ ...piece, guess: likely }));
}

function unknownPieces({ text }: ParameterExpansionPart, quoted: boolean, base: Value | undefined): Piece[] {
  return [{ text, quoted, split: !quoted, unknown: true, taint: base?.taint }];
}

function valuePieces(value: Value | undefined, written: string, quoted: boolean): Piece[] {
  const { items, text, taint, guess } = value ?? {};
  if (items !== undefined && text === undefined) {
    return items.map((item, at) => ({
      text: item.text,
      quoted,
      split: !quoted,
      moved: true,
      unknown: !item.known,
      breakBefore: at > 0,
      taint: item.taint,
    }));
  }
  if (text === undefined && guess !== undefined)
    return [{ text: guess, quoted, split: !quoted, moved: true, unsure: true, taint }];
  if (text === undefined) return [{ text: written, quoted, split: !quoted, unknown: true, taint }];
  return [{ text, quoted, split: !quoted, moved: true, taint }];
}

function valueOf(name: string, scope: Scope, walk: Walk): Value | undefined {
  const { positional } = scope;
  if (name === "@" || name === "*") return positional && { items: positional };
  if (name === "#") return positional && { text: String(positional.length) };
  return /^[1-9]\d*$/.test(name) ? positionalValue(Number(name), scope) : variableValue(name, scope, walk);
}

function positionalValue(number: number, { positional }: Scope): Value {
  const field = positional?.[number - 1];
  if (positional === undefined || field?.known === false) return { taint: field?.taint };
  return { text: field?.text ?? "", taint: field?.taint };
}

function variableValue(name: string, scope: Scope, walk: Walk): Value | undefined {
  const own = scope.vars.get(name);
  if (own === undefined) return presetValue(name, scope, walk);
  if (name === "HOME" && own.text === undefined) return { guess: walk.place.home, ...own };
  return own.items === undefined || own.text !== undefined ? own : { ...own.items[0] };
}

/** Variables that every shell starts with. */
function presetValue(name: string, { cwds }: Scope, walk: Walk): Value | undefined {
  if (name === "IFS") return { text: " \t\n" };
  if (name === "HOME") return { text: walk.place.home };
  return name === "PWD" && cwds?.length === 1 ? { text: cwds[0] } : undefined;
}

function elementOf(name: string, index: string, scope: Scope): Value | undefined {
  const items = scope.vars.get(name)?.items;
  if (items === undefined) return undefined;
  if (index === "@" || index === "*") return { items };
  const item = /^\d+$/.test(index) ? items[Number(index)] : undefined;
  return item?.known === true ? { text: item.text, taint: item.taint } : undefined;
}
