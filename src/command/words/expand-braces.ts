const maxWords = 128;
const maxLetters = 8192;
/** Beyond this a word of nothing but braces would take too long. */
const maxWordLength = 2048;

/**
 * Expand `{a,b}` and `{1..3}` in the source of a word, as bash does before all else; quotes and
 * substitutions stay whole. `undefined` where that would be too many words.
 */
export function expandBraces(source: string): readonly string[] | undefined {
  if (source.length > maxWordLength) return undefined;
  const found = findBraces(source);
  if (found === undefined) return [source];
  const { start, end, items } = found;
  const rest = expandBraces(source.slice(end));
  if (rest === undefined || items.length * rest.length > maxWords) return undefined;
  const words: string[] = [];
  let letters = 0;
  for (const item of items) {
    const inner = found.sequence ? [item] : expandBraces(item);
    if (inner === undefined) return undefined;
    for (const middle of inner) {
      for (const tail of rest) {
        const word = source.slice(0, start) + middle + tail;
        letters += word.length;
        words.push(word);
      }
    }
    if (words.length > maxWords || letters > maxLetters) return undefined;
  }
  return words;
}

interface Braces {
  readonly start: number;
  readonly end: number;
  readonly items: readonly string[];
  readonly sequence: boolean;
}

/** The first pair of braces that expands. */
function findBraces(source: string): Braces | undefined {
  for (let at = 0; at < source.length; at = skipOne(source, at)) {
    if (source[at] !== "{") continue;
    const braces = readBraces(source, at);
    if (braces !== undefined) return braces;
  }
  return undefined;
}

function readBraces(source: string, start: number): Braces | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (let at = start + 1; at < source.length; at = skipOne(source, at)) {
    const letter = source[at];
    if (letter === "{") depth++;
    else if (letter === "," && depth === 0) commas.push(at);
    else if (letter === "}" && depth-- === 0) {
      const items = commas.length > 0 ? cut(source, [start, ...commas, at]) : undefined;
      if (items !== undefined) return { start, end: at + 1, items, sequence: false };
      const sequence = readSequence(source.slice(start + 1, at));
      return sequence && { start, end: at + 1, items: sequence, sequence: true };
    }
  }
  return undefined;
}

function cut(source: string, places: readonly number[]): string[] {
  return places.slice(1).map((to, at) => source.slice(places[at]! + 1, to));
}

function readSequence(body: string): readonly string[] | undefined {
  const found = /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,9}))?$/.exec(body);
  if (found === null) return undefined;
  const letters = found[3] !== undefined;
  const from = letters ? found[3]!.charCodeAt(0) : Number(found[1]);
  const to = letters ? found[4]!.charCodeAt(0) : Number(found[2]);
  const step = Math.max(1, Math.abs(Number(found[5] ?? 1)));
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  const width = letters ? 0 : paddedWidth(found[1]!, found[2]!);
  return Array.from({ length: Math.min(count, maxWords + 1) }, (_, at) => {
    const value = from + (to >= from ? at : -at) * step;
    if (letters) return String.fromCharCode(value);
    const digits = String(Math.abs(value)).padStart(value < 0 ? width - 1 : width, "0");
    return value < 0 ? `-${digits}` : digits;
  });
}

function paddedWidth(from: string, to: string): number {
  return [from, to].some((end) => /^-?0\d/.test(end)) ? Math.max(from.length, to.length) : 0;
}

/** The place after one letter, one quoted text or one substitution. */
function skipOne(source: string, at: number): number {
  const letter = source[at];
  if (letter === "\\") return at + 2;
  if (letter === "'") return closing(source, at, "'");
  if (letter === '"' || letter === "`") return closing(source, at, letter);
  if (letter === "$" && source[at + 1] === "'") return closing(source, at + 1, "'", true);
  if (letter === "$" && (source[at + 1] === "(" || source[at + 1] === "{")) return skipNested(source, at + 1);
  if ((letter === "<" || letter === ">") && source[at + 1] === "(") return skipNested(source, at + 1);
  return at + 1;
}

function closing(source: string, start: number, quote: string, escapes = quote !== "'"): number {
  let at = start + 1;
  while (at < source.length && source[at] !== quote) at += escapes && source[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipNested(source: string, start: number): number {
  const close = source[start] === "(" ? ")" : "}";
  let depth = 0;
  let at = start;
  while (at < source.length) {
    if (source[at] === source[start]) depth++;
    else if (source[at] === close && --depth === 0) return at + 1;
    at = source[at] === source[start] || source[at] === close ? at + 1 : skipOne(source, at);
  }
  return at;
}
