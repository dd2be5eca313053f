import type { ParameterOperation, Word } from "unbash";
import type { Walk } from "../walk.js";
import type { Field } from "./field.js";

type Change = Extract<ParameterOperation, { type: "Remove" | "Replace" | "Slice" | "CaseModification" }>;

/** The text after `${x#…}`, `${x/…}`, `${x:…}` or `${x^^}`; `undefined` where that is not simple. */
export function changeText(
  text: string | undefined,
  operation: Change | Exclude<ParameterOperation, Change>,
  field: (word: Word) => Field,
  walk: Walk,
): string | undefined {
  switch (operation.type) {
    case "Slice":
      return slice(text, [operation.offset, operation.length], field, walk);
    case "CaseModification":
      return operation.operand === undefined ? changeCase(text, operation.operator) : undefined;
    case "Remove": {
      const cut = field(operation.operand);
      return text === undefined || !isPlain(cut) ? undefined : remove(text, cut.text, operation.operator);
    }
    case "Replace": {
      const [from, to] = [field(operation.pattern), field(operation.replacement)];
      if (text === undefined || !isPlain(from) || !to.known || from.text === "") return undefined;
      if (operation.operator === "/") return text.replace(from.text, () => to.text);
      return operation.operator === "//" ? text.replaceAll(from.text, () => to.text) : undefined;
    }
    default:
      return undefined;
  }
}

/** A pattern is used only if it contains no special characters. */
function isPlain({ known, text }: Field): boolean {
  return known && !/[*?[\\]/.test(text);
}

function slice(
  text: string | undefined,
  words: readonly (Word | undefined)[],
  field: (word: Word) => Field,
  walk: Walk,
): string | undefined {
  const numbers = words.map((word) => (word === undefined ? undefined : field(word).text.trim()));
  if (numbers.some((number) => number !== undefined && !/^-?\d{1,9}$/.test(number))) {
    // Both are arithmetic, which can run commands where it meets a name.
    walk.unknown.add("an offset that is only known when it runs");
    return undefined;
  }
  if (text === undefined) return undefined;
  const [from, count] = numbers.map((number) => (number === undefined ? undefined : Number(number)));
  const start = from! < 0 ? text.length + from! : from!;
  if (start < 0) return undefined;
  const end = count === undefined ? text.length : count < 0 ? text.length + count : start + count;
  return text.slice(start, Math.max(start, end));
}

function changeCase(text: string | undefined, operator: string): string | undefined {
  if (text === undefined) return undefined;
  const change = (part: string): string =>
    operator.startsWith("^") ? part.toUpperCase() : part.toLowerCase();
  return operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1);
}

function remove(text: string, part: string, operator: string): string {
  const atStart = operator.startsWith("#");
  if (atStart) return text.startsWith(part) ? text.slice(part.length) : text;
  return part !== "" && text.endsWith(part) ? text.slice(0, -part.length) : text;
}
