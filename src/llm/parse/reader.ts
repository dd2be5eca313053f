/** Why a piece of text cannot be read as a call. */
const problemCodes = ["incomplete", "malformed", "ambiguous", "too_deep", "limit"] as const;

/** Why a passage could not be read as a call. */
export type ProblemCode = (typeof problemCodes)[number];

/** A piece of model text that looks like a call and cannot be read as exactly one. */
export class Unreadable extends Error {
  readonly code: ProblemCode;
  /** It is unclear where the piece ends, so that nothing after it can be trusted either. */
  readonly isEndless: boolean;

  constructor(code: ProblemCode, message: string, { isEndless = false } = {}) {
    super(message);
    this.code = code;
    this.isEndless = isEndless;
  }

  override get name(): string {
    return "Unreadable";
  }
}

/**
 * A position in a text, and a budget of steps. Looking ahead costs steps, so that reading stays linear however often
 * hostile text makes the readers start over.
 */
export class Reader {
  readonly text: string;
  pos = 0;
  #left: number;

  constructor(text: string, budget: number = 1_000_000 + 8 * text.length) {
    this.text = text;
    this.#left = budget;
  }

  get atEnd(): boolean {
    return this.pos >= this.text.length;
  }

  /** The character here, empty at the end. */
  get char(): string {
    return this.text.charAt(this.pos);
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0)
      throw new Unreadable("limit", "Reading the text takes too many steps; the rest was not read.");
  }

  /** Whether the budget is used up: then nothing more can be read. */
  get spent(): boolean {
    return this.#left < 0;
  }

  sees(text: string): boolean {
    return this.text.startsWith(text, this.pos);
  }

  /** Step over `text` if it is at this position. */
  take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.pos += text.length;
    return true;
  }

  /** The next position of `needle`, or -1. */
  find(needle: string, from: number = this.pos): number {
    const found = this.text.indexOf(needle, from);
    this.spend((found === -1 ? this.text.length : found) - from + 1);
    return found;
  }

  /** The match of a sticky pattern without nested repetition at this position, which is stepped over. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.pos;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) return undefined;
    this.spend(found.length + 1);
    this.pos += found.length;
    return found;
  }

  skipSpace(): void {
    const from = this.pos;
    while (this.pos < this.text.length && isSpace(this.char)) this.pos++;
    this.spend(this.pos - from);
  }

  /** Whether only spaces stand between the start of the line and here. */
  get startsLine(): boolean {
    for (let at = this.pos - 1; at >= 0; at--) {
      const char = this.text.charAt(at);
      if (lineEnds.has(char)) return true;
      if (!blanks.has(char)) return false;
      if (this.pos - at > 64) return false; // deeper than any usual indentation
    }
    return true;
  }

  /** Whether nothing but spaces follows up to the end of the line. */
  get endsLine(): boolean {
    for (let at = this.pos; at < this.text.length; at++) {
      const char = this.text.charAt(at);
      if (lineEnds.has(char)) return true;
      if (!blanks.has(char)) return false;
      if (at - this.pos > 1024) return false;
    }
    return true;
  }
}

const lineEnds = new Set(["\n", "\r"]);
const blanks = new Set([" ", "\t"]);
const spaces = new Set([...lineEnds, ...blanks, "\v", "\f", "\u00a0", "\ufeff"]);

/** Whether a character is white space, a no-break space or a byte order mark. */
export function isSpace(char: string): boolean {
  return spaces.has(char);
}
