import { afterHashes, beginsWithHashes } from "./line.js";
import { asciiHash, isTextOf, nameHash, type NameTable } from "./index-columns.js";

/** What an index takes from a record. */
const wanted = [
  "callId",
  "kind",
  "time",
  "durationMs",
  "outcome",
  "tool",
  "agent",
  "taskId",
  "sessionId",
  "arguments",
  "error",
  "result",
  "resultDigest",
  "approval",
  "waitedForPersonMs",
  "act",
] as const;

export type MemberName = (typeof wanted)[number];

/**
 * The members of a line of the log that an index needs, found by its bytes: reading all of its JSON takes several times
 * as long. Other members are not read, so that damage in them does not show here.
 */
export class LineMembers {
  #line: Buffer = Buffer.alloc(0);
  /** Where each wanted member begins and ends; the end is 0 where the line does not have it. */
  readonly #starts = new Int32Array(wanted.length);
  readonly #ends = new Int32Array(wanted.length);

  /** Look at a line; `false` if it is not a JSON object. */
  read(line: Buffer): boolean {
    if (this.#scan(line) || this.#scan(withoutSpaces(line))) return true;
    this.#ends.fill(0);
    return false;
  }

  has(name: MemberName): boolean {
    return this.#ends[places[name]] !== 0;
  }

  /** Whether it is this text of plain letters. */
  is(name: MemberName, text: string): boolean {
    return isTextOf(text, this.#line, this.#starts[places[name]]! + 1, this.#ends[places[name]]! - 1);
  }

  /** A text; empty where there is none. */
  text(name: MemberName): string {
    const text = this.value(name);
    return typeof text === "string" ? text : "";
  }

  /** The number that a text has in a table; most texts are known there, and never become strings. */
  idIn(names: NameTable, name: MemberName): number {
    const place = places[name];
    const end = this.#ends[place]! - 1;
    if (end < 0) return names.idOf("");
    const start = this.#starts[place]! + 1;
    return names.idOfBytes(this.#line, start, end) ?? names.idOf(this.text(name));
  }

  /** The number of a text, to find candidates by. */
  hash(name: MemberName): number {
    const place = places[name];
    return (
      asciiHash(this.#line, this.#starts[place]! + 1, this.#ends[place]! - 1) ?? nameHash(this.text(name))
    );
  }

  /** A number; 0 where there is none. */
  number(name: MemberName): number {
    const place = places[name];
    const start = this.#starts[place]!;
    const end = this.#ends[place]!;
    let digits = 0;
    for (let at = start; at < end; at++) {
      const digit = this.#line[at]! - zero;
      // Digits added up one by one are exact only as long as the number is.
      if (digit < 0 || digit > 9 || end - start > maxExactDigits)
        return finiteOf(this.#line.toString("latin1", start, end));
      digits = digits * 10 + digit;
    }
    return digits;
  }

  /** Tell where a value stands in its line. */
  span(name: MemberName, take: (line: Buffer, start: number, end: number) => void): void {
    const place = places[name];
    if (this.#ends[place] !== 0) take(this.#line, this.#starts[place]!, this.#ends[place]!);
  }

  /** Any value; `undefined` where there is none, or it is damaged. */
  value(name: MemberName): unknown {
    const place = places[name];
    try {
      return JSON.parse(this.#line.toString("utf8", this.#starts[place], this.#ends[place]));
    } catch {
      return undefined;
    }
  }

  /** Bytes of a value as JSON. */
  bytes(name: MemberName): number {
    return this.#ends[places[name]]! - this.#starts[places[name]]!;
  }

  #scan(line: Buffer): boolean {
    this.#line = line;
    this.#starts.fill(0);
    this.#ends.fill(0);
    const last = line.length - 1;
    if (last < 1 || line[0] !== openBrace || line[last] !== closeBrace) return false;
    for (let at = beginsWithHashes(line) ? afterHashes : 1; at < last; at++) {
      if (line[at] !== quote) return false;
      const key = at;
      at = endOfString(line, at);
      if (line[at] !== colon) return false;
      const start = at + 1;
      const end = endOfValue(line, start);
      const place = placeOf.get(asciiHash(line, key + 1, at - 1) ?? 0);
      if (place !== undefined) {
        this.#starts[place] = start;
        this.#ends[place] = end;
      }
      at = end;
      if (line[at] !== comma && at !== last) return false;
    }
    return true;
  }
}

const [quote, backslash, colon, comma, zero] = [34, 92, 58, 44, 48];
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93];

const places = Object.fromEntries(wanted.map((name, place) => [name, place])) as Record<MemberName, number>;
const placeOf = new Map(wanted.map((name, place) => [nameHash(name), place]));

const maxExactDigits = 15;

function finiteOf(text: string): number {
  const number = Number(text);
  return Number.isFinite(number) ? number : 0;
}

/** A line that another program wrote, such as an editor that adds spaces; nothing of a damaged one. */
function withoutSpaces(line: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(line.toString())));
  } catch {
    return Buffer.alloc(0);
  }
}

/** Behind the string that begins here. */
function endOfString(line: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < line.length && line[at] !== quote) at += line[at] === backslash ? 2 : 1;
  return at + 1;
}

/** Behind the value that begins here: a comma or the end of what it stands in. */
function endOfValue(line: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < line.length; at++) {
    const byte = line[at]!;
    if (marks[byte] === 0) continue;
    if (byte === quote) at = endOfString(line, at) - 1;
    else if (byte === comma || byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return at;
      if (byte !== comma) depth--;
    } else depth++;
  }
  return line.length;
}

/** The bytes that structure JSON. */
const marks = new Uint8Array(256);
for (const mark of [quote, comma, openBrace, closeBrace, openBracket, closeBracket]) marks[mark] = 1;
