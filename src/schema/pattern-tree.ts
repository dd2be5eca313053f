/** What a place between two characters can be asked. */
export type Assertion = "start" | "end" | "word" | "noWord";

/** The structure of a pattern, before repetitions are unfolded. */
export type PatternNode =
  | { readonly type: "char"; readonly accepts: (char: string) => boolean }
  | { readonly type: "assert"; readonly op: Assertion }
  | { readonly type: "look"; readonly body: PatternNode; readonly behind: boolean; readonly negate: boolean }
  | { readonly type: "sequence" | "choice"; readonly parts: readonly PatternNode[] }
  | { readonly type: "repeat"; readonly body: PatternNode; readonly min: number; readonly max: number };

/** Parse groups, choices and repetitions of a regular expression; the engine itself checks the rest. */
export function readPattern(
  source: string,
  ignoreCase = false,
): { readonly root: PatternNode; readonly unicode: boolean } {
  const unicode = isValid(source, "u");
  // The flag rejects needless escapes (`\-`, `\_`) that many published schemas have.
  if (!unicode) RegExp(source);
  const reader: Reader = { source, position: 0, unicode, ignoreCase, depth: 0, tests: new Map() };
  return { root: readAlternatives(reader), unicode };
}

interface Reader {
  readonly source: string;
  position: number;
  readonly unicode: boolean;
  readonly ignoreCase: boolean;
  depth: number;
  readonly tests: Map<string, (char: string) => boolean>;
}

const maxDepth = 100;

function isValid(source: string, flags: string): boolean {
  try {
    RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

function readAlternatives(reader: Reader): PatternNode {
  if (++reader.depth > maxDepth) throw new Error("the pattern is nested too deep");
  const parts = [readSequence(reader)];
  while (reader.source[reader.position] === "|") {
    reader.position++;
    parts.push(readSequence(reader));
  }
  reader.depth--;
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { type: "choice", parts };
}

function readSequence(reader: Reader): PatternNode {
  const parts: PatternNode[] = [];
  while (reader.position < reader.source.length && !"|)".includes(reader.source[reader.position] ?? "")) {
    parts.push(readQuantified(reader));
  }
  return { type: "sequence", parts };
}

function readQuantified(reader: Reader): PatternNode {
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

function readAtom(reader: Reader): PatternNode {
  const rest = reader.source.slice(reader.position, reader.position + 4);
  if (rest.startsWith("(")) return readGroup(reader);
  if (rest.startsWith("^")) return assertion(reader, 1, "start");
  if (rest.startsWith("$")) return assertion(reader, 1, "end");
  if (rest.startsWith("\\b")) return assertion(reader, 2, "word");
  if (rest.startsWith("\\B")) return assertion(reader, 2, "noWord");
  if (/^\\(?:[1-9]|k)/.test(rest)) throw new Error("the pattern has a back-reference");
  const text = takeCharacter(reader);
  const accepts = tester(reader, text);
  return { type: "char", accepts };
}

function readGroup(reader: Reader): PatternNode {
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

function assertion(reader: Reader, length: number, op: Assertion): PatternNode {
  reader.position += length;
  return { type: "assert", op };
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
    `${reader.unicode ? "u" : ""}${reader.ignoreCase ? "i" : ""}`,
  );
  const plain = text.length === 1 && text !== "." && !reader.ignoreCase;
  const accepts = plain ? (char: string) => char === text : (char: string) => expression.test(char);
  reader.tests.set(text, accepts);
  return accepts;
}
