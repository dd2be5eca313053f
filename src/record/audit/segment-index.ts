import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { attempt } from "../../contract/errno.js";
import type { AuditOutcome, AuditRecord } from "../../contract/ports/audit.js";
import { Column, NameTable } from "./index-columns.js";
import { LineMembers } from "./line-members.js";
import { readLines } from "./read-lines.js";
import type { SegmentPaths } from "./segment-files.js";
import { TextFilter } from "./text-filter.js";

export const outcomes: readonly AuditOutcome[] = ["success", "failure", "denied", "interrupted"];
const notACall = 255;
const isStarted = 254;
const version = 5;
/** What a text is looked for in. */
const searched = ["tool", "arguments", "error"] as const;

/** What a search needs of one segment, one row per line. Only a cache: verification never reads it. */
export class SegmentIndex {
  /** How many bytes of the segment are indexed. */
  bytes = 0;
  readonly #paths: SegmentPaths;
  /** When the call ended, never less than the row before: the order of the log. */
  readonly ended;
  readonly time;
  readonly offset;
  readonly length;
  readonly tool;
  readonly agent;
  readonly task;
  readonly session;
  readonly call;
  readonly outcome;
  /** 1: something that a person did without calling a tool, such as an undo. */
  readonly act;
  /** Milliseconds from the call to its answer. */
  readonly duration;
  /** How many of them were spent waiting for a person. */
  readonly waited;
  /** Bytes of its result as JSON. */
  readonly resultBytes;
  /** The code of its error. */
  readonly error;
  readonly names: NameTable;
  readonly filter: TextFilter;
  readonly #members = new LineMembers();

  constructor(paths: SegmentPaths, stored?: StoredIndex) {
    this.#paths = paths;
    this.bytes = stored?.bytes ?? 0;
    const column = <A extends Float64Array | Uint32Array | Uint8Array>(name: string, empty: A): Column<A> =>
      stored === undefined ? new Column(empty) : Column.of(stored.column(name, empty));
    this.ended = column("ended", new Float64Array(0));
    this.time = column("time", new Float64Array(0));
    this.offset = column("offset", new Uint32Array(0));
    this.length = column("length", new Uint32Array(0));
    this.tool = column("tool", new Uint32Array(0));
    this.agent = column("agent", new Uint32Array(0));
    this.task = column("task", new Uint32Array(0));
    this.session = column("session", new Uint32Array(0));
    this.call = column("call", new Uint32Array(0));
    this.outcome = column("outcome", new Uint8Array(0));
    this.act = column("act", new Uint8Array(0));
    this.duration = column("duration", new Float64Array(0));
    this.waited = column("waited", new Float64Array(0));
    this.resultBytes = column("resultBytes", new Float64Array(0));
    this.error = column("error", new Uint32Array(0));
    this.names = new NameTable(stored?.names ?? [""]);
    this.filter = new TextFilter(stored?.filter());
  }

  get rows(): number {
    return this.ended.length;
  }

  isCall(row: number): boolean {
    return this.outcome.at(row) < isStarted;
  }

  /** Whether the row is of something that a person did. */
  isAct(row: number): boolean {
    return this.act.at(row) === 1;
  }

  /** Whether the row is of a call that was about to run. */
  isStart(row: number): boolean {
    return this.outcome.at(row) === isStarted;
  }

  /** The first row that ended at this time or later: rows are in the order of their ends. */
  firstEndedSince(time: number): number {
    let low = 0;
    let high = this.rows;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ended.at(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Index what was written since. */
  update(): void {
    const read = readLines(this.#paths.lines, (line, offset) => this.#take(line, offset), {
      start: this.bytes,
    });
    this.bytes = read.end;
  }

  /** Keep the index for the next process; another one may do the same at the same time. */
  save(): void {
    const columns = storedColumns(this).map(([name, column]) => [name, column.bytes()] as const);
    const parts = [...columns, ["filter", this.filter.bytes()] as const];
    const header = JSON.stringify({
      version,
      bytes: this.bytes,
      names: this.names.names,
      parts: parts.map(([name, bytes]) => [name, bytes.length]),
    });
    const start = Buffer.alloc(8 + Math.ceil(Buffer.byteLength(header) / 8) * 8, " ");
    start.writeDoubleLE(start.length - 8, 0);
    start.write(header, 8);
    const pad = (bytes: Uint8Array): Uint8Array[] => [bytes, new Uint8Array((8 - (bytes.length % 8)) % 8)];
    const temp = `${this.#paths.index}.${process.pid}.partial`;
    writeFileSync(temp, Buffer.concat([start, ...parts.flatMap(([, bytes]) => pad(bytes))]), { mode: 0o600 });
    renameSync(temp, this.#paths.index);
  }

  #take(line: Buffer, offset: number): void {
    const row = this.rows;
    const { names } = this;
    const record = this.#members;
    record.read(line);
    const hasCall = record.has("callId");
    const isCall = hasCall && !record.is("kind", "start");
    const time = record.number("time");
    const duration = isCall ? record.number("durationMs") : 0;
    this.ended.push(Math.max(isCall ? time + duration : 0, row === 0 ? 0 : this.ended.at(row - 1)));
    this.time.push(time);
    this.offset.push(offset);
    this.length.push(line.length);
    this.tool.push(record.idIn(names, "tool"));
    this.agent.push(record.idIn(names, "agent"));
    this.task.push(record.idIn(names, "taskId"));
    this.session.push(record.idIn(names, "sessionId"));
    this.call.push(hasCall ? record.hash("callId") : 0);
    this.outcome.push(isCall ? outcomeOf(record) : hasCall ? isStarted : notACall);
    this.act.push(record.has("act") ? 1 : 0);
    this.duration.push(duration);
    this.waited.push(isCall ? waitedOf(record) : 0);
    this.resultBytes.push(isCall ? resultBytesOf(record) : 0);
    this.error.push(names.idOf(isCall ? errorCodeOf(record) : ""));
    if (!isCall) return;
    for (const name of searched)
      record.span(name, (bytes, start, end) => this.filter.add(row, bytes, { start, end }));
  }
}

function outcomeOf(record: LineMembers): number {
  return outcomes.findIndex((outcome) => record.is("outcome", outcome));
}

function waitedOf(record: LineMembers): number {
  if (record.has("waitedForPersonMs") || !record.has("approval")) return record.number("waitedForPersonMs");
  return (record.value("approval") as AuditRecord["approval"])?.waitedMs ?? 0;
}

function resultBytesOf(record: LineMembers): number {
  if (!record.has("resultDigest")) return record.bytes("result");
  return (record.value("resultDigest") as AuditRecord["resultDigest"])?.bytes ?? 0;
}

function errorCodeOf(record: LineMembers): string {
  return record.has("error") ? ((record.value("error") as AuditRecord["error"])?.code ?? "") : "";
}

/** The saved index of a segment, or a new one if that cannot be used. */
export function loadIndex(paths: SegmentPaths): SegmentIndex {
  try {
    return new SegmentIndex(paths, readStored(paths.index));
  } catch {
    return new SegmentIndex(paths); // missing, of another version, or damaged: the lines tell all
  }
}

export function parseLine(line: Buffer | string): AuditRecord | undefined {
  return attempt(() => JSON.parse(typeof line === "string" ? line : line.toString()) as AuditRecord);
}

function storedColumns(index: SegmentIndex): [string, { bytes(): Uint8Array }][] {
  const { ended, time, offset, length, tool, agent, task, session, call, outcome } = index;
  const { act, duration, waited, resultBytes, error } = index;
  const keys = { ended, time, offset, length, tool, agent, task, session, call, outcome };
  return Object.entries({ ...keys, act, duration, waited, resultBytes, error });
}

interface StoredIndex {
  readonly bytes: number;
  readonly names: readonly string[];
  column<A extends Float64Array | Uint32Array | Uint8Array>(name: string, like: A): A;
  filter(): Uint8Array;
}

function readStored(file: string): StoredIndex {
  const raw = readFileSync(file);
  // The numbers are read in place, so they must be aligned.
  const data = raw.byteOffset % 8 === 0 ? raw : Buffer.from(new Uint8Array(raw).buffer);
  const headerBytes = data.readDoubleLE(0);
  const header = JSON.parse(data.toString("utf8", 8, 8 + headerBytes)) as {
    version: number;
    bytes: number;
    names: string[];
    parts: [string, number][];
  };
  if (header.version !== version) throw new RangeError("another version");
  const places = new Map<string, [number, number]>();
  let at = 8 + headerBytes;
  for (const [name, length] of header.parts) {
    places.set(name, [at, length]);
    at += length + ((8 - (length % 8)) % 8);
  }
  if (at !== data.length) throw new RangeError("cut off");
  const part = (name: string): Uint8Array => {
    const [start, length] = places.get(name) ?? [0, 0];
    return data.subarray(start, start + length);
  };
  return {
    ...header,
    column: (name, like) => {
      const bytes = part(name);
      const make = like.constructor as new (
        buffer: ArrayBufferLike,
        offset: number,
        length: number,
      ) => typeof like;
      return new make(bytes.buffer, bytes.byteOffset, bytes.length / like.BYTES_PER_ELEMENT);
    },
    filter: () => part("filter"),
  };
}
