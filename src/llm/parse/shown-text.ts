import type { KnownNames } from "./raw-call.js";
import type { Reader } from "./reader.js";
import type { OpenTag } from "./xml-text.js";

/** Elements for tool results: a call in them is quoted, not made. */
const results = new Set([
  "tool_result",
  "tool_results",
  "tool_response",
  "tool_responses",
  "tool_output",
  "function_result",
  "function_results",
  "function_response",
  "observation",
]);

/** Elements that quote or display text. */
const examples = new Set(["example", "examples", "pre", "code", "blockquote"]);

/** Finds the elements of a text that only show things, so that what looks like a call in them is left alone. */
export class ShownText {
  readonly #names: KnownNames;
  /** Closing marks that do not occur in the rest of the text, so that they are searched for only once. */
  readonly #missing = new Set<string>();

  constructor(names: KnownNames) {
    this.#names = names;
  }

  /** Where the comment ends that starts at the reader. */
  endOfComment(reader: Reader): number | undefined {
    return reader.sees("<!--") ? this.#after("-->", reader) : undefined;
  }

  /** Where the element ends whose opening tag was just read; `undefined` where it does not merely show something. */
  endOf(tag: OpenTag, reader: Reader, startsLine: boolean): number | undefined {
    const isResult = results.has(tag.name);
    if (tag.selfClosing || (!isResult && !examples.has(tag.name)) || this.#names.has(tag.fullName))
      return undefined;
    // A result that is cut off is one up to the end; within a sentence it is a mere word.
    return (
      this.#after(`</${tag.fullName}>`, reader) ?? (isResult && startsLine ? reader.text.length : undefined)
    );
  }

  #after(mark: string, reader: Reader): number | undefined {
    if (this.#missing.has(mark)) return undefined;
    const at = reader.find(mark);
    if (at === -1) this.#missing.add(mark);
    return at === -1 ? undefined : at + mark.length;
  }
}

/** Where the line ends, where it says up to here that it quotes: `> …`. */
export function endOfQuote(reader: Reader): number | undefined {
  const { text, pos } = reader;
  if (!/[ \t>]/.test(text.charAt(pos - 1))) return undefined;
  const before = text.slice(Math.max(0, pos - 34), pos);
  if (!/(?:^|[\n\r])[ \t]{0,16}>[ \t>]{0,16}$/.test(before)) return undefined;
  const end = reader.find("\n");
  return end === -1 ? text.length : end;
}

const quotes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["\u201c", "\u201d"],
  ["\u2018", "\u2019"],
  ["\u00ab", "\u00bb"],
]);

/** Whether a piece of a longer text is in quotation marks. */
export function isInQuotes(text: string, start: number, end: number): boolean {
  const close = quotes.get(text.charAt(start - 1));
  if (close === undefined || text.charAt(end) !== close) return false;
  return text.slice(0, start - 1).trim() !== "" || text.slice(end + 1).trim() !== "";
}

/** A tool's name in angle brackets that holds text and never closes is part of a sentence. */
export function isMereWord(reader: Reader, tag: OpenTag): boolean {
  const start = reader.text.slice(reader.pos, reader.pos + 64).trimStart();
  if (tag.selfClosing || start.startsWith("<") || start.startsWith("{")) return false;
  return reader.find(`</${tag.fullName}>`) === -1;
}

/** Where to go on behind an element that cannot be read: after it, where it seems to hold a call, else within it. */
export function endOfBroken(reader: Reader, inside: number, { fullName }: OpenTag): number {
  const first = reader.text
    .slice(inside, inside + 64)
    .trimStart()
    .charAt(0);
  const close = /[<{[]/.test(first) ? reader.find(`</${fullName}>`, inside) : -1;
  return close === -1 ? inside : close + fullName.length + 3;
}

/** Text that the model presents as a result contains no calls; the model's next step ends it. */
export function endOfObservation(reader: Reader): number | undefined {
  if (!reader.startsLine || !reader.sees("Observation:")) return undefined;
  const next = reader.text.slice(reader.pos).search(/\n[ \t]{0,8}(?:Thought|Action|Final Answer|Question):/);
  return next === -1 ? reader.text.length : reader.pos + next;
}
