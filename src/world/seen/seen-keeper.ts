import { messageOf } from "../../contract/message-of.js";
import { createHash } from "node:crypto";
import type { Json } from "../../contract/json.js";
import type { SeenFile } from "../../contract/ports/seen.js";
import type { Store } from "../../contract/ports/store.js";
import type { LinePart } from "../../text/line-parts.js";
import { joinRuns, type LineRun } from "../../text/line-runs.js";
import { addParts } from "./add-parts.js";

/** Keeps what a session has read from one process to the next. Saves happen in the background, in order. */
export interface SeenKeeper {
  load(path: string): Promise<SeenFile | undefined>;
  /** Keep what `current` gives when its turn has come; `undefined`: forget the file. */
  save(path: string, current: () => Promise<SeenFile | undefined>): void;
  forgetBelow(directory: string): void;
  moveBelow(from: string, to: string): void;
}

type Values = Pick<Store, "get" | "set" | "delete" | "list">;

export interface SeenKeeperOptions {
  /** The session's own name space; `undefined` where no state exists yet and none is to be made. */
  readonly open: (make: boolean) => Promise<Values | undefined>;
  /** Told of work that must be done before the process ends; it never fails. */
  readonly onWork: (work: Promise<void>) => void;
  /** What is seen is worth no failed call; a person should know, though. */
  readonly onWarning: (message: string) => void;
}

/** Keep it as values of the state, one for each file. */
export function createSeenKeeper({ open, onWork, onWarning }: SeenKeeperOptions): SeenKeeper {
  let last: Promise<void> = Promise.resolve();
  const waiting = new Set<string>();
  const work = (make: boolean, body: (values: Values) => Promise<void>): void => {
    last = last.then(async () => {
      try {
        const values = await open(make);
        if (values !== undefined) await body(values);
      } catch (error) {
        onWarning(`What this session has read could not be kept: ${messageOf(error)}`);
      }
    });
    onWork(last);
  };
  return {
    async load(path) {
      const values = await open(false);
      return values && readFile(values, keyOf(path));
    },
    save(path, current) {
      if (waiting.has(path)) return;
      waiting.add(path);
      work(true, async (values) => {
        const file = await current();
        // From here on, what comes needs a save of its own.
        waiting.delete(path);
        await (file === undefined ? removeFile(values, keyOf(path)) : writeFile(values, keyOf(path), file));
      });
    },
    forgetBelow: (directory) =>
      work(false, async (values) => {
        for (const key of await values.list(`${directory}/`)) await values.delete(key);
      }),
    moveBelow: (from, to) =>
      work(false, async (values) => {
        for (const key of await values.list(`${from}/`)) {
          const value = await values.get(key);
          await values.delete(key);
          if (value !== undefined) await values.set(keyOf(to + key.slice(from.length)), value);
        }
      }),
  };
}

interface KeptFile extends Omit<SeenFile, "runs" | "parts"> {
  readonly runs: readonly KeptLines[];
  /** How many further values hold the rest of the lines. */
  readonly more?: number;
}

/** Lines, or a part of a line that is too long for one value or was only seen in part. */
type KeptLines = LineRun | LinePart;

// Far below what one value may hold, whatever its characters become in JSON.
const maxValueChars = 500_000;
const maxKeyBytes = 900;

function keyOf(path: string): string {
  if (Buffer.byteLength(path) <= maxKeyBytes && path.isWellFormed() && !path.includes("\0")) return path;
  return `long:${createHash("sha256").update(path).digest("hex")}`;
}

function partKey(key: string, part: number): string {
  return `${key}/${part}:part`;
}

async function readFile(values: Values, key: string): Promise<SeenFile | undefined> {
  const kept = (await values.get(key)) as KeptFile | undefined;
  if (kept === undefined || !Array.isArray(kept.runs)) return undefined;
  const { more = 0, ...file } = kept;
  const all: KeptLines[] = [...kept.runs];
  for (let part = 1; part <= more; part += 1) {
    const further = (await values.get(partKey(key, part))) as KeptLines[] | undefined;
    if (!Array.isArray(further)) return undefined;
    all.push(...further);
  }
  const runs = joinRuns(all.filter((each): each is LineRun => "lines" in each));
  return addParts(
    { ...file, runs },
    all.filter((each): each is LinePart => "char" in each),
  );
}

async function writeFile(values: Values, key: string, file: SeenFile): Promise<void> {
  const { runs, parts = [], ...rest } = file;
  const [first = [], ...further] = splitRuns(runs, parts);
  for (const [at, lines] of further.entries()) await setValue(values, partKey(key, at + 1), lines);
  await setValue(values, key, { ...rest, runs: first, ...(further.length > 0 && { more: further.length }) });
}

async function removeFile(values: Values, key: string): Promise<void> {
  const kept = (await values.get(key)) as KeptFile | undefined;
  for (let part = 1; part <= (kept?.more ?? 0); part += 1) await values.delete(partKey(key, part));
  if (kept !== undefined) await values.delete(key);
}

/** Where the session keeps more than it may, all of it goes: files are read again. */
async function setValue(values: Values, key: string, value: unknown): Promise<void> {
  try {
    await values.set(key, value as Json);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "QUOTA_SPENT") throw error;
    for (const each of await values.list()) await values.delete(each);
    await values.set(key, value as Json);
  }
}

/** Lines cut into groups that each fit into one value. */
function splitRuns(runs: readonly LineRun[], parts: readonly LinePart[]): KeptLines[][] {
  const groups: KeptLines[][] = [[]];
  let room = maxValueChars;
  const add = (lines: KeptLines, chars: number): void => {
    if (chars > room && room < maxValueChars) {
      groups.push([]);
      room = maxValueChars;
    }
    groups.at(-1)?.push(lines);
    room -= chars;
  };
  for (const part of parts) for (const piece of splitPart(part)) add(piece, piece.text.length);
  for (const { start, lines } of runs) {
    let from = 0;
    let chars = 0;
    for (let at = 0; at <= lines.length; at += 1) {
      const length = lines[at]?.length ?? 0;
      const isLong = length > maxPieceChars;
      if (at < lines.length && !isLong && chars < maxPieceChars) {
        chars += length + 8;
        continue;
      }
      if (at > from) add({ start: start + from, lines: lines.slice(from, at) }, chars);
      if (isLong) {
        const whole = { line: start + at, char: 1, text: lines[at] ?? "", isEnd: true };
        for (const piece of splitPart(whole)) add(piece, piece.text.length);
      }
      from = isLong ? at + 1 : at;
      chars = isLong ? 0 : length + 8;
    }
  }
  return groups;
}

const maxPieceChars = 100_000;

function splitPart(part: LinePart): LinePart[] {
  const { text, char, isEnd } = part;
  const pieces: LinePart[] = [];
  for (let at = 0; at < text.length;) {
    // A pair of surrogates stays together.
    const end = at + maxPieceChars + (/[\uDC00-\uDFFF]/.test(text[at + maxPieceChars] ?? "") ? 1 : 0);
    pieces.push({ ...part, char: char + at, text: text.slice(at, end), isEnd: isEnd && end >= text.length });
    at = end;
  }
  return pieces;
}
