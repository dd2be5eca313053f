import { createHash } from "node:crypto";
import { attempt } from "../../contract/errno.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { SqlValue } from "../sql.js";
import type { GivenNumbers } from "./given-numbers.js";

export interface ArchiveHead {
  readonly tenon: "state";
  readonly format: 1;
  /** Version of the schema that the rows are from. */
  readonly schema: number;
  readonly workspace: string;
  readonly time: number;
  /** The highest number that each table has given out; those of deleted rows show nowhere else. */
  readonly given?: GivenNumbers;
}

/** A row of a table; bytes are Base64 in an object. */
export interface ArchiveRow {
  readonly table: string;
  readonly row: Readonly<Record<string, ArchiveValue>>;
}

export type ArchiveValue = null | number | string | { readonly base64: string };

/** A piece of a content, in their order; the last one of a content says so. */
export interface ArchivePiece {
  readonly content: string;
  readonly base64: string;
  readonly last: boolean;
}

/** The last line: without it, or where it does not fit, the archive is worthless. */
export interface ArchiveEnd {
  readonly rows: number;
  readonly contents: number;
  /** Of all lines before this one. */
  readonly sha256: string;
}

export type ArchiveLine = ArchiveHead | ArchiveRow | ArchivePiece | ArchiveEnd;

/** Turns lines into text and keeps count for the last one. */
export function createArchiveWriter(write: (text: string) => Promise<void>) {
  const digest = createHash("sha256");
  let [rows, contents] = [0, 0];
  return {
    async add(line: ArchiveHead | ArchiveRow | ArchivePiece): Promise<void> {
      if ("table" in line) rows += 1;
      if ("content" in line && line.last) contents += 1;
      const text = `${JSON.stringify(line)}\n`;
      digest.update(text);
      await write(text);
    },
    async end(): Promise<ArchiveEnd> {
      const end: ArchiveEnd = { rows, contents, sha256: digest.digest("hex") };
      await write(`${JSON.stringify(end)}\n`);
      return end;
    },
  };
}

/** The lines of an archive; throws where it is cut off, changed or none at all. */
export async function* readArchive(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveLine> {
  const digest = createHash("sha256");
  let [rows, contents] = [0, 0];
  let end: ArchiveEnd | undefined;
  let number = 0;
  for await (const text of linesOf(chunks)) {
    number += 1;
    if (end !== undefined) throw badArchive("something follows its last line");
    const line = parseLine(text, number);
    if ((number === 1) !== "tenon" in line) throw badArchive("it does not start like one");
    if ("sha256" in line) end = line;
    else digest.update(`${text}\n`);
    if ("table" in line) rows += 1;
    if ("content" in line && line.last) contents += 1;
    if (end === undefined) yield line;
  }
  if (end === undefined) throw badArchive("it is truncated");
  const fits = end.rows === rows && end.contents === contents && end.sha256 === digest.digest("hex");
  if (!fits) throw badArchive("its checksum does not match");
  yield end;
}

/** A value of a column, as an archive holds it. */
export function toArchiveValue(value: unknown): ArchiveValue {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
  return value as ArchiveValue;
}

/** A value of an archive, as a column takes it. */
export function fromArchiveValue(value: ArchiveValue): SqlValue {
  return typeof value === "object" && value !== null ? Buffer.from(value.base64, "base64") : value;
}

/** Say that a file is not an archive that can be restored. */
export function badArchive(why: string): ToolValidationError {
  return new ToolValidationError(`The file is not a complete backup of a state: ${why}.`, {
    code: "VALUE_INVALID",
    hint: "Use a file that `tenon state backup` or `tenon state export` wrote. Nothing was changed.",
  });
}

function parseLine(text: string, number: number): ArchiveLine {
  const line = attempt(() => JSON.parse(text) as unknown);
  const sound = typeof line === "object" && line !== null && shapes.some((isShape) => isShape(line));
  if (!sound) throw badArchive(`line ${number} is invalid`);
  return line as ArchiveLine;
}

const shapes: readonly ((line: Partial<Record<string, unknown>>) => boolean)[] = [
  ({ tenon, format, schema, given = {} }) =>
    tenon === "state" &&
    format === 1 &&
    Number.isInteger(schema) &&
    Number(schema) > 0 &&
    typeof given === "object" &&
    given !== null &&
    Object.values(given).every((number) => Number.isSafeInteger(number) && Number(number) >= 0),
  ({ table, row }) => typeof table === "string" && isRow(row),
  ({ content, base64, last }) =>
    typeof content === "string" &&
    /^[0-9a-f]{64}$/.test(content) &&
    typeof base64 === "string" &&
    typeof last === "boolean",
  ({ rows, contents, sha256 }) =>
    typeof rows === "number" && typeof contents === "number" && typeof sha256 === "string",
];

function isRow(row: unknown): boolean {
  if (typeof row !== "object" || row === null) return false;
  return Object.values(row).every((value: unknown) => {
    if (value === null || typeof value === "number" || typeof value === "string") return true;
    return typeof value === "object" && typeof (value as { base64?: unknown }).base64 === "string";
  });
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at));
      yield Buffer.concat(parts).toString("utf8");
      parts = [];
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
  }
  if (parts.some((part) => part.length > 0)) throw badArchive("it is truncated");
}
