import { readFence, readReAct, readSpan, type Fence } from "./code-fences.js";
import { KeptText } from "./kept-text.js";
import type { FoundCalls, KnownNames, RawCall } from "./raw-call.js";
import { mayBeBare, readBare, readFenced } from "./read-pieces.js";
import { isSpace, Reader, Unreadable } from "./reader.js";
import {
  endOfBroken,
  endOfObservation,
  endOfQuote,
  isInQuotes,
  isMereWord,
  ShownText,
} from "./shown-text.js";
import { readTokenCalls } from "./token-calls.js";
import { isOwnTag, opensCalls, readXmlCalls } from "./xml-calls.js";
import { readOpenTag } from "./xml-text.js";

/** The cost of an attempt besides its steps. */
const attemptCost = 600;
const maxFailures = 30;

const straying =
  "The closing tag of an argument comes after the calls, so it is unclear where the arguments end; escape tags in arguments (&lt;) or use CDATA.";

const thoughts = new Set(["think", "thinking", "thought", "reasoning", "scratchpad", "analysis"]);

/** Go through a model's text once, from left to right, and take the calls out of it. */
export function scanText(
  text: string,
  names: KnownNames,
): { readonly found: readonly FoundCalls[]; readonly text: string } {
  const scan = new Scan(text, names);
  try {
    while (!scan.reader.atEnd) scan.step();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    scan.found.push({ calls: [], problem: error, start: scan.reader.pos, end: scan.reader.pos });
  }
  return { found: scan.found, text: scan.rest() };
}

/** What was found so far, and the rest of the text. */
class Scan {
  readonly reader: Reader;
  found: FoundCalls[] = [];
  readonly #names: KnownNames;
  readonly #shown: ShownText;
  readonly #kept: KeptText;
  #failures = 0;
  /** Something else than space and thoughts came before. */
  #wroteSomething = false;

  constructor(text: string, names: KnownNames) {
    this.reader = new Reader(text);
    this.#names = names;
    this.#kept = new KeptText(text);
    this.#shown = new ShownText(names);
  }

  /** Look at the next character that could begin something. */
  step(): void {
    const { reader } = this;
    const { char } = reader;
    if (isSpace(char)) {
      reader.pos++;
      return;
    }
    const start = reader.pos;
    if (this.#takeAt(char)) {
      this.#wroteSomething ||= this.found.length > 0;
      return;
    }
    reader.pos = Math.max(reader.pos, start + 1);
    this.#wroteSomething = true;
  }

  /** The text without what was taken out. */
  rest(): string {
    return this.#kept.rest();
  }

  #takeAt(char: string): boolean {
    if (char === "<") return this.#takeTag();
    if (char === "`" || char === "~") return this.#takeFence();
    if (char === "[") return this.#skipTokens("[THINK]", "[/THINK]") || this.#takeToken() || this.#takeBare();
    if (char === "{") return this.#takeBare();
    const observed = char === "O" ? endOfObservation(this.reader) : undefined;
    if (observed !== undefined) return this.#leave(observed);
    return char === "A" && this.#takeReAct();
  }

  /** A tag: of a call, of thoughts, or an ordinary one. */
  #takeTag(): boolean {
    const { reader } = this;
    const { pos: start, startsLine } = reader;
    if (this.#skipTokens("<|channel|>analysis<|message|>", "<|end|>")) return true;
    if (this.#skipTokens("<|begin_of_thought|>", "<|end_of_thought|>")) return true;
    const aside = endOfQuote(reader) ?? this.#shown.endOfComment(reader);
    if (aside !== undefined) return this.#leave(aside);
    if (this.#takeToken()) return true;
    if (reader.match(/<\/(?:think|thinking|thought|reasoning|analysis)>/iy) !== undefined)
      return this.#forget();
    if (reader.match(/<\/(?:\w{1,32}:)?(?:parameter|param|argument|arg_value)>/y) !== undefined)
      return this.#doubt(start);
    const tag = readOpenTag(reader);
    if (tag === undefined) return false;
    if (thoughts.has(tag.name.toLowerCase()) && !tag.selfClosing)
      return this.#skipThought(tag.fullName, start);
    const shownTo = this.#shown.endOf(tag, reader, startsLine);
    if (shownTo !== undefined) return this.#leave(shownTo);
    if (!opensCalls(tag, this.#names) || (isOwnTag(tag) && isMereWord(reader, tag))) {
      reader.pos = start;
      return false;
    }
    const inside = reader.pos;
    this.#attempt(
      start,
      () => readXmlCalls(reader, tag, this.#names),
      () => endOfBroken(reader, inside, tag),
    );
    return true;
  }

  #takeToken(): boolean {
    const { reader } = this;
    const start = reader.pos;
    let calls: RawCall[] | undefined;
    this.#attempt(
      start,
      () => (calls = readTokenCalls(reader, this.#names)) ?? [],
      () => start + 1,
    );
    return calls !== undefined || reader.pos !== start;
  }

  /** A fence with calls in it, or another one that is text. */
  #takeFence(): boolean {
    const { reader } = this;
    const start = reader.pos;
    const fence = readFence(reader);
    if (fence === undefined) return this.#takeSpan();
    const only = !this.#wroteSomething && reader.text.slice(fence.end).trim() === "";
    const inProse = this.#names.fences !== true && this.#kept.surrounds(start, fence.end);
    const isQuoted = fence.kind === "other" || (fence.kind === "json" && inProse);
    if (isQuoted && !only) {
      reader.pos = fence.end;
      this.#wroteSomething = true;
      return true;
    }
    return this.#takeFenced(start, fence, fence.kind === "other" ? "json" : fence.kind);
  }

  /** Calls in a fence must be all that it holds; else it is an example, and text. */
  #takeFenced(start: number, fence: Omit<Fence, "kind">, kind: "calls" | "json"): boolean {
    const { reader } = this;
    reader.pos = fence.inside;
    const before = this.found.length;
    const calls: RawCall[] = [];
    let problem: Unreadable | undefined;
    try {
      calls.push(...readFenced(reader, { fence, names: this.#names, explicit: kind === "calls" }));
    } catch (error) {
      if (!(error instanceof Unreadable) || reader.spent) throw error;
      problem = error;
    }
    const end = Math.max(fence.end, calls.length > 0 ? reader.pos : 0);
    reader.pos = end;
    if (problem !== undefined) this.#fail(problem, start);
    else if (calls.length > 0) this.found.push({ calls, start, end });
    if (calls.length > 0) this.#kept.cut(start, end);
    else this.#wroteSomething = true;
    return this.found.length >= before;
  }

  #takeSpan(): boolean {
    const { reader } = this;
    const span = readSpan(reader);
    if (span === undefined) return false;
    const start = reader.pos;
    const only = !this.#wroteSomething && reader.text.slice(span.end).trim() === "";
    if (only) return this.#takeFenced(start, span, "json");
    reader.pos = span.end;
    this.#wroteSomething = true;
    return true;
  }

  /** JSON, or a list of Python calls, on lines of its own. */
  #takeBare(): boolean {
    const { reader } = this;
    const start = reader.pos;
    if (!reader.startsLine || !mayBeBare(reader)) return false;
    reader.spend(attemptCost);
    const calls = readBare(reader, this.#names);
    if (calls === undefined || !(reader.endsLine || calls.problem !== undefined)) {
      reader.pos = start;
      return false;
    }
    if (calls.problem !== undefined) this.#fail(calls.problem, start);
    else {
      this.found.push({ ...calls, start, end: reader.pos });
      this.#kept.cut(start, reader.pos);
    }
    return true;
  }

  #takeReAct(): boolean {
    const { reader } = this;
    const start = reader.pos;
    if (!reader.startsLine || !reader.sees("Action:")) return false;
    this.#attempt(
      start,
      () => readReAct(reader, this.#names) ?? [],
      () => start + 1,
    );
    return reader.pos > start;
  }

  /** Read calls from here; `resume` says where to go on when they cannot be read. */
  #attempt(start: number, read: () => readonly RawCall[], resume: () => number): void {
    const { reader } = this;
    try {
      const calls = read();
      if (reader.pos === start) return;
      if (isInQuotes(reader.text, start, reader.pos)) return void this.#leave(reader.pos);
      this.found.push({ calls, start, end: reader.pos });
      this.#kept.cut(start, reader.pos);
    } catch (error) {
      if (!(error instanceof Unreadable) || reader.spent) throw error;
      this.#fail(error, start);
      reader.pos = error.code === "incomplete" || error.isEndless ? reader.text.length : resume();
    }
  }

  /** Give up on a text in which too many attempts fail. */
  #fail(problem: Unreadable, start: number): void {
    this.reader.spend(attemptCost);
    this.found.push({ calls: [], problem, start, end: this.reader.pos });
    if (++this.#failures < maxFailures) return;
    throw new Unreadable(
      "limit",
      `The text has ${maxFailures} calls that cannot be read; the rest was not read.`,
    );
  }

  /** Thoughts between special tokens, up to the end of the text where they do not end. */
  #skipTokens(from: string, to: string): boolean {
    const { reader } = this;
    const start = reader.pos;
    reader.take("<|start|>assistant");
    if (!reader.take(from)) {
      reader.pos = start;
      return false;
    }
    const end = reader.find(to);
    reader.pos = end === -1 ? reader.text.length : end + to.length;
    this.#kept.cut(start, reader.pos);
    return true;
  }

  #skipThought(fullName: string, start: number): boolean {
    const { reader } = this;
    const end = reader.find(`</${fullName}>`);
    reader.pos = end === -1 ? reader.text.length : end + fullName.length + 3;
    this.#kept.cut(start, reader.pos);
    return true;
  }

  /** A thought ends that was opened before the text began: all so far was thinking. */
  #forget(): boolean {
    this.found = [];
    this.#kept.forget(this.reader.pos);
    this.#wroteSomething = false;
    return true;
  }

  /** Skip ordinary text. */
  #leave(end: number): boolean {
    this.reader.pos = end;
    this.#wroteSomething = true;
    return true;
  }

  /** An argument ends here that began nowhere: it was one of the calls before, and held what looked like its end. */
  #doubt(start: number): boolean {
    const isWhole = ({ calls }: FoundCalls): boolean => !calls.some(({ texts }) => texts !== undefined);
    const first = this.found.findIndex((found) => !isWhole(found));
    // Behind a call that could not be read, it is what is left of that.
    if (first === -1 || this.found.at(-1)?.problem !== undefined) return this.#leave(this.reader.pos);
    const at = this.found[first]?.start ?? start;
    this.found = this.found.filter(isWhole);
    this.#fail(new Unreadable("ambiguous", straying), at);
    return this.#leave(this.reader.pos);
  }
}
