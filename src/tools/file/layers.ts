import path from "node:path";
import type { ToolContext } from "../../contract/context.js";
import type { EntryType, FileStat } from "../../contract/ports/files.js";
import type { SeenFile } from "../../contract/ports/seen.js";
import { decodeText } from "../../text/decode-text.js";
import { looksBinary } from "../../text/is-binary.js";
import type { LineRun } from "../../text/line-runs.js";
import { compareSeen } from "./freshness.js";
import { fileMissing, modifiedSinceRead, notRead, notText, pathRefused } from "./layer-errors.js";
import { createPresentLines, type PresentLines } from "./present-lines.js";

type World = Pick<ToolContext, "files" | "seen">;

/** A file as it is now, and what the session knows of it. */
export interface PresentFile {
  /** As the caller wrote it. */
  readonly path: string;
  readonly stat: FileStat;
  readonly bytes: Uint8Array;
  readonly seen: SeenFile | undefined;
  /** What its text is read in. */
  readonly encoding: string;
  readonly lines: PresentLines;
}

/** Layer 2: the path has a normal form and may be used in this way. */
export function checkPath({ files }: World, name: string, access: "read" | "write" = "write"): void {
  const verdict = files.check(name, access);
  if (!verdict.allowed) throw pathRefused(verdict.reason, { code: verdict.code });
}

/** Layer 4: something can be created here. */
export async function checkCreatable({ files }: World, name: string): Promise<void> {
  for (let at = path.dirname(name); ; at = path.dirname(at)) {
    const stat = await files.stat(at);
    if (stat?.type === "directory") return;
    if (stat !== null) {
      throw pathRefused(`${JSON.stringify(name)} cannot be created: ${JSON.stringify(at)} is no directory.`, {
        code: "PATH_INVALID",
        layer: 4,
        hint: "Choose a path whose parts are directories or do not exist yet.",
      });
    }
    if (at === path.dirname(at)) return;
  }
}

/** Layer 5: something is there. */
export async function requireFile({ files }: World, name: string): Promise<FileStat> {
  const stat = await files.stat(name);
  if (stat === null) throw fileMissing(name);
  return stat;
}

/** What stands at a path. */
export interface Standing {
  /** Of the path itself: a link is one. */
  readonly type: EntryType;
  /** Of where it leads; absent for a link that leads nowhere. */
  readonly stat?: FileStat;
}

/** Look at a path, a link that leads nowhere included; `null` where nothing is. */
export async function standsAt(world: World, name: string): Promise<Standing | null> {
  const stat = await world.files.stat(name);
  if (stat !== null) return { type: isLink(world, name) ? "symlink" : stat.type, stat };
  const directory = path.dirname(name);
  if ((await world.files.stat(directory))?.type !== "directory") return null;
  for await (const entry of world.files.list(directory)) {
    if (entry.name === path.basename(name)) return { type: entry.type };
  }
  return null;
}

/** A path that leads elsewhere than its directory and its name say. */
function isLink({ files }: World, name: string): boolean {
  const plain = path.normalize(name).replace(/[/\\]+$/, "");
  const [whole, directory] = [files.check(plain), files.check(path.dirname(plain))];
  if (!whole.allowed || !directory.allowed) return false;
  return whole.path !== path.join(directory.path, path.basename(plain));
}

/** Layer 6: it is a file with text; returned with what the session knows of it. */
export async function requireText(world: World, name: string, stat: FileStat): Promise<PresentFile> {
  if (stat.type === "directory") throw notText(name, "is a directory");
  const file = await lookAt(world, name, stat);
  // Whoever read it in an encoding that they named has seen that it is text.
  if (file.seen?.encoding === undefined && looksBinary(file.bytes)) throw notText(name, "is a binary file");
  return file;
}

/** The whole file, whatever it holds. */
export async function lookAt(world: World, name: string, stat: FileStat): Promise<PresentFile> {
  await world.seen.load(name);
  const bytes = await world.files.read(name);
  const known = world.seen.get(name);
  const isBytes = known?.encoding === base64;
  const { encoding } = decodeText(bytes, isBytes ? "auto" : known?.encoding);
  let made: PresentLines | undefined;
  const lines = (): PresentLines => (made ??= createPresentLines(bytes, encoding));
  const seen = isBytes ? seenBytes(known, bytes, lines()) : known;
  return {
    path: name,
    stat,
    bytes,
    seen,
    encoding,
    get lines() {
      return lines();
    },
  };
}

/** Whoever saw the bytes has seen the lines that they make, as long as the bytes are the same. */
function seenBytes({ identity, runs }: SeenFile, bytes: Uint8Array, lines: PresentLines): SeenFile {
  const shown = runs.flatMap((run) => run.lines).join("");
  const isSame = shown === Buffer.from(bytes).toString("base64");
  const all = { start: 1, lines: lines.slice(1, lines.count) };
  return { identity, runs: isSame && lines.count > 0 ? [all] : [], complete: true };
}

/** How a file of any bytes is read whole. */
export const base64 = "base64";

/** Layers 7 and 8 for a change of the whole file: all of it was seen, and is as it was. */
export function requireAllSeen(file: PresentFile): void {
  const { path: name, seen, lines } = file;
  if (file.bytes.length === 0) return;
  if (lines.count === 0) return;
  if (seen === undefined) throw notRead(name);
  const fresh = compareSeen(seen, lines);
  const verdict = fresh.judge({ startLine: 1, endLine: lines.count });
  if (verdict === "unseen") throw notRead(name, firstGap(fresh.runs, lines.count));
  if (verdict === "changed" || !fresh.unchanged) throw modifiedSinceRead(name, fresh.firstChange);
}

/** Layer 8 where a file had been read: what was seen of it is as it was. */
export async function requireUnchanged(
  world: World,
  name: string,
  stat: FileStat,
  { allowGrowth = false } = {},
): Promise<void> {
  await world.seen.load(name);
  const known = world.seen.get(name);
  if (stat.type !== "file" || known === undefined) return;
  const file = await lookAt(world, name, stat);
  const fresh = compareSeen(file.seen ?? known, file.lines);
  if (fresh.unchanged || (allowGrowth && fresh.onlyGrew)) return;
  throw modifiedSinceRead(name, fresh.firstChange);
}

function firstGap(runs: readonly LineRun[], count: number): { startLine: number; endLine: number } {
  const [first] = runs;
  if (first === undefined) return { startLine: 1, endLine: count };
  if (first.start > 1) return { startLine: 1, endLine: first.start - 1 };
  return { startLine: first.lines.length + 1, endLine: (runs[1]?.start ?? count + 1) - 1 };
}
