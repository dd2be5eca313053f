/** One step of a pattern's program; `next` and the like are indexes into the program. */
export type Step =
  | { readonly op: "char"; readonly accepts: (char: string) => boolean; readonly next: number }
  | { readonly op: "split"; readonly next: number; readonly other: number }
  | { readonly op: "start" | "end" | "word" | "noWord"; readonly next: number }
  | {
      readonly op: "look";
      readonly inner: number;
      readonly behind: boolean;
      readonly negate: boolean;
      readonly next: number;
    }
  | { readonly op: "match" };

/** A pattern as a graph of steps, walked by `linear-pattern.ts`. */
export interface Program {
  readonly steps: readonly Step[];
  readonly entry: number;
  /** Characters are code points, as with the `u` flag, or else UTF-16 units. */
  readonly unicode: boolean;
}

/**
 * Translate a regular expression, without running it. The engine's own parser has the last word on
 * syntax, and single characters and classes stay with it too, so only the structure is read here.
 * Throws for what is no pattern, for back-references, and for repetitions that unfold too far.
 */
export function toProgram(source: string): Program {
  const unicode = isValid(source, "u");
  // The flag rejects needless escapes (`\-`, `\_`) that many published schemas have.
  if (!unicode) RegExp(source);
  const reader: Reader = { source, position: 0, unicode, steps: [], depth: 0, built: 0, tests: new Map() };
  const last = emit(reader, { op: "match" });
  const entry = build(reader, readAlternatives(reader), last);
  return { steps: reader.steps, entry, unicode };
}

/** The structure of a pattern, before repetitions are unfolded. */
type Node =
  | { readonly type: "step"; readonly make: (next: number) => Step }
  | { readonly type: "look"; readonly body: Node; readonly behind: boolean; readonly negate: boolean }
  | { readonly type: "sequence" | "choice"; readonly parts: readonly Node[] }
  | { readonly type: "repeat"; readonly body: Node; readonly min: number; readonly max: number };

interface Reader {
  readonly source: string;
  position: number;
  readonly unicode: boolean;
  readonly steps: Step[];
  depth: number;
  built: number;
  readonly tests: Map<string, (char: string) => boolean>;
}

const mostSteps = 20_000;
const deepest = 100;

function isValid(source: string, flags: string): boolean {
  try {
    RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

function readAlternatives(reader: Reader): Node {
  if (++reader.depth > deepest) throw new Error("the pattern is nested too deep");
  const parts = [readSequence(reader)];
  while (reader.source[reader.position] === "|") {
    reader.position++;
    parts.push(readSequence(reader));
  }
  reader.depth--;
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { type: "choice", parts };
}

function readSequence(reader: Reader): Node {
  const parts: Node[] = [];
  while (reader.position < reader.source.length && !"|)".includes(reader.source[reader.position] ?? "")) {
    parts.push(readQuantified(reader));
  }
  return { type: "sequence", parts };
}

function readQuantified(reader: Reader): Node {
  const body = readAtom(reader);
  const quantifier = matchHere(/(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y, reader);
  if (quantifier === null) return body;
  reader.position += quantifier[0].length;
  const [text, low, comma, high] = quantifier;
  if (text.startsWith("*")) return { type: "repeat", body, min: 0, max: Infinity };
  if (text.startsWith("+")) return { type: "repeat", body, min: 1, max: Infinity };
  if (text.startsWith("?")) return { type: "repeat", body, min: 0, max: 1 };
  const min = Number(low);
  if (comma === undefined) return { type: "repeat", body, min, max: min };
  return { type: "repeat", body, min, max: high === "" || high === undefined ? Infinity : Number(high) };
}

function readAtom(reader: Reader): Node {
  const rest = reader.source.slice(reader.position, reader.position + 4);
  if (rest.startsWith("(")) return readGroup(reader);
  if (rest.startsWith("^")) return assertion(reader, 1, "start");
  if (rest.startsWith("$")) return assertion(reader, 1, "end");
  if (rest.startsWith("\\b")) return assertion(reader, 2, "word");
  if (rest.startsWith("\\B")) return assertion(reader, 2, "noWord");
  if (/^\\(?:[1-9]|k)/.test(rest)) throw new Error("the pattern has a back-reference");
  const text = takeCharacter(reader);
  const accepts = tester(reader, text);
  return { type: "step", make: (next) => ({ op: "char", accepts, next }) };
}

function readGroup(reader: Reader): Node {
  const opening = matchHere(/\((?:\?(?::|=|!|<=|<!|<[^>]*>))?/y, reader)?.[0] ?? "(";
  if (opening === "(" && reader.source[reader.position + 1] === "?") {
    throw new Error("the pattern has a group with flags");
  }
  reader.position += opening.length;
  const body = readAlternatives(reader);
  reader.position++;
  const look = /^\(\?(<?)([=!])$/.exec(opening);
  if (look === null) return body;
  return { type: "look", body, behind: look[1] === "<", negate: look[2] === "!" };
}

function assertion(reader: Reader, length: number, op: "start" | "end" | "word" | "noWord"): Node {
  reader.position += length;
  return { type: "step", make: (next) => ({ op, next }) };
}

/** The source of one class, escape or literal. */
function takeCharacter(reader: Reader): string {
  const shapes = new RegExp(reader.unicode ? unicodeShapes : plainShapes, reader.unicode ? "uy" : "y");
  const text = matchHere(shapes, reader)?.[0] ?? "";
  reader.position += text.length;
  return text;
}

function matchHere(sticky: RegExp, { source, position }: Reader): RegExpExecArray | null {
  sticky.lastIndex = position;
  return sticky.exec(source);
}

const characterClass = String.raw`\[(?:\\[\s\S]|[^\]\\])*\]`;
const surrogates = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`;
const escapes = String.raw`\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\0[0-7]{0,2}`;
const plainShapes = String.raw`${characterClass}|${escapes}|\\[\s\S]|[\s\S]`;
const unicodeShapes = String.raw`${surrogates}|\\u\{[0-9a-fA-F]+\}|\\[pP]\{[^}]*\}|${plainShapes}`;

/** A test of one character by the engine itself; one character cannot make it backtrack. */
function tester(reader: Reader, text: string): (char: string) => boolean {
  const known = reader.tests.get(text);
  if (known !== undefined) return known;
  const expression = new RegExp(
    `^(?:${/^[{}\]]$/.test(text) ? `\\${text}` : text})$`,
    reader.unicode ? "u" : "",
  );
  const plain = text.length === 1 && text !== ".";
  const accepts = plain ? (char: string) => char === text : (char: string) => expression.test(char);
  reader.tests.set(text, accepts);
  return accepts;
}

/** Emit the steps of a node, given the step that follows it; returns its first step. */
function build(reader: Reader, node: Node, next: number): number {
  // Counted apart from the steps, because a repeated empty group unfolds without emitting any.
  if (++reader.built > mostSteps * 4) throw new Error("the pattern repeats too often");
  switch (node.type) {
    case "step":
      return emit(reader, node.make(next));
    case "sequence":
      return node.parts.reduceRight((after, part) => build(reader, part, after), next);
    case "choice":
      return node.parts
        .map((part) => build(reader, part, next))
        .reduceRight((other, first) => emit(reader, { op: "split", next: first, other }));
    case "look": {
      const inner = build(reader, node.body, emit(reader, { op: "match" }));
      return emit(reader, { op: "look", inner, behind: node.behind, negate: node.negate, next });
    }
    default:
      return buildRepeat(reader, node, next);
  }
}

function buildRepeat(reader: Reader, node: Extract<Node, { type: "repeat" }>, next: number): number {
  const { body, min, max } = node;
  let entry = next;
  if (max === Infinity) {
    entry = emit(reader, { op: "split", next, other: next });
    const loop = build(reader, body, entry);
    reader.steps[entry] = { op: "split", next: loop, other: next };
  }
  for (let left = max === Infinity ? 0 : max - min; left > 0; left--) {
    entry = emit(reader, { op: "split", next: build(reader, body, entry), other: next });
  }
  for (let count = 0; count < min; count++) entry = build(reader, body, entry);
  return entry;
}

function emit(reader: Reader, step: Step): number {
  if (reader.steps.length >= mostSteps) throw new Error("the pattern unfolds into too many steps");
  return reader.steps.push(step) - 1;
}
