import { isUtf8 } from "node:buffer";
import { spawn } from "node:child_process";
import { errnoOf } from "../../../contract/errno.js";
import { messageOf } from "../../../contract/message-of.js";
import { createPause } from "../../files/pause.js";
import { hasFilter } from "../seccomp/filter.js";
import { entryAt, isWhiteout } from "./entry-state.js";
import { childPath, pathBelow } from "./layer-path.js";
import type { EntryKind, LayerEntry, LayerPath } from "./layer-types.js";
import { namesIn } from "./list-folder.js";

/**
 * So many entries are listed by this process, in about the time that starting `find` takes; if there are more, `find` lists
 * all of them, each in a tenth of the time.
 */
const maxOwn = 200;

/** Everything below a folder of the layer, many entries at a time, folders before what is in them. */
export async function* listTree(upper: string, folder: LayerPath): AsyncIterable<readonly LayerEntry[]> {
  const few = await listFew(upper, folder);
  if (few === undefined) yield* listMany(upper, folder);
  else yield few;
}

/** `undefined` if there are many, or if a path is too long for one call of the system. */
async function listFew(upper: string, folder: LayerPath): Promise<readonly LayerEntry[] | undefined> {
  const few: LayerEntry[] = [];
  try {
    for await (const entry of walk(upper, folder)) {
      few.push(entry);
      if (few.length > maxOwn) return undefined;
    }
    return few;
  } catch (error) {
    if (errnoOf(error) !== "ENAMETOOLONG") throw error;
    return undefined;
  }
}

async function* walk(upper: string, folder: LayerPath): AsyncIterable<LayerEntry> {
  for await (const name of namesIn(pathBelow(upper, folder))) {
    const path = childPath(folder, name);
    const found = entryAt(pathBelow(upper, path));
    if (found === undefined || isWhiteout(found.stats)) continue;
    const { kind, mode } = found.state;
    yield { ...path, name: name.toString(), kind, mode };
    if (kind === "folder") yield* walk(upper, path);
  }
}

async function* listMany(upper: string, folder: LayerPath): AsyncIterable<readonly LayerEntry[]> {
  const root = pathBelow(upper, folder);
  let isEmpty = true;
  // Node.js cannot pass arguments that are not valid UTF-8.
  if (typeof root === "string") {
    for await (const entries of findBelow(root, folder, upper)) {
      isEmpty = false;
      yield entries;
    }
  }
  if (isEmpty) yield* walkMany(upper, folder);
}

/** The same where there is no `find` of GNU. */
async function* walkMany(upper: string, folder: LayerPath): AsyncIterable<readonly LayerEntry[]> {
  const breathe = createPause();
  for await (const entry of walk(upper, folder)) {
    yield [entry];
    await breathe();
  }
}

/** Looking at each file takes three times as long as reading the names. */
const format = hasFilter(process.arch)
  ? ["-type", "d", "-printf", String.raw`%y %m %P\0`, "-o", "-printf", String.raw`%y - %P\0`]
  : ["-printf", String.raw`%y %m %P\0`];

/** Nothing if `find` cannot do it. A folder that its owner cannot read is listed without what is in it. */
async function* findBelow(
  root: string,
  folder: LayerPath,
  upper: string,
): AsyncIterable<readonly LayerEntry[]> {
  const child = spawn("/usr/bin/find", [root, "-mindepth", "1", ...format], {
    env: {},
    cwd: "/",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<string | undefined>((done) => {
    child.on("error", (error) => done(messageOf(error)));
    child.on("close", (code, signal) => done(code === 0 ? undefined : `it ended with ${code ?? signal}`));
  });
  let hasUnreadable = false;
  let count = 0;
  try {
    for await (const record of recordsOf(child.stdout)) {
      const entries: LayerEntry[] = [];
      for (const each of record) {
        const entry = toEntry(each, folder);
        if (!isWhiteoutIn(upper, entry)) entries.push(entry);
      }
      count += record.length;
      hasUnreadable ||= entries.some(({ kind, mode = 0 }) => kind === "folder" && (mode & 0o500) !== 0o500);
      yield entries;
    }
    const problem = await ended;
    if (problem !== undefined && count > 0 && !hasUnreadable)
      throw new Error(`The entries of a layer could not be listed by find: ${problem}.`);
  } finally {
    child.kill("SIGKILL");
  }
}

/** Chunks of output, each cut into whole records. */
async function* recordsOf(output: AsyncIterable<Buffer>): AsyncIterable<readonly (string | Buffer)[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = all.lastIndexOf(0);
    if (end >= 0) yield split(all.subarray(0, end));
    rest = all.subarray(end + 1);
  }
}

function split(records: Buffer): (string | Buffer)[] {
  if (isUtf8(records)) return records.toString().split("\0");
  const found: (string | Buffer)[] = [];
  for (let start = 0; start <= records.length;) {
    const end = records.indexOf(0, start);
    const record = records.subarray(start, end < 0 ? records.length : end);
    found.push(isUtf8(record) ? record.toString() : record);
    start += record.length + 1;
  }
  return found;
}

const kinds: Readonly<Record<string, EntryKind>> = { f: "file", d: "folder", l: "link" };

/** A record is a letter for the kind, the rights in octal or a dash, and the path, with a space between each. */
function toEntry(record: string | Buffer, folder: LayerPath): LayerEntry {
  const text = typeof record === "string" ? record : record.toString("latin1");
  const start = text.indexOf(" ", 2) + 1;
  const kind = kinds[text[0] ?? ""] ?? "special";
  const mode = text[2] === "-" ? undefined : Number.parseInt(text.slice(2, start), 8);
  if (typeof record !== "string" || folder.bytes !== undefined) {
    const path = childPath(folder, Buffer.from(record.slice(start)));
    return { ...path, name: path.path.slice(path.path.lastIndexOf("/") + 1), kind, mode };
  }
  const last = text.lastIndexOf("/");
  const path = `${folder.path}/${text.slice(start)}`;
  return { path, name: text.slice(last < 0 ? start : last + 1), kind, mode };
}

/** Only what looks like a device can be a mark of the kernel for a removed entry. */
function isWhiteoutIn(upper: string, entry: LayerEntry): boolean {
  if (entry.kind !== "special") return false;
  const found = entryAt(pathBelow(upper, entry));
  return found === undefined || isWhiteout(found.stats);
}
