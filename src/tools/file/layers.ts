import path from "node:path";
import type { ToolContext } from "../../contract/context.js";
import { ToolSecurityError } from "../../contract/errors.js";
import type { EntryType, FileStat, LentFile } from "../../contract/ports/files.js";
import type { SeenFile } from "../../contract/ports/seen.js";
import { decodeText } from "../../text/decode-text.js";
import { looksBinary } from "../../text/is-binary.js";
import { lastLineOf, type LineRun } from "../../text/line-runs.js";
import type { LineSpan } from "../../text/splice.js";
import { compareSeen } from "./freshness.js";
import {
  fileMissing,
  modifiedSinceRead,
  notRead,
  notText,
  pathRefused,
  tooLargeToChange,
} from "./layer-errors.js";
import { createPresentLines, type PresentLines } from "./present-lines.js";

type LayerDeps = Pick<ToolContext, "files" | "seen">;

/** The current file, and what the session knows about it. */
export interface PresentFile extends LentFile {
  /** The path as passed by the caller. */
  readonly path: string;
  readonly seen: SeenFile | undefined;
  /** The encoding of its text. */
  readonly encoding: string;
  readonly lines: PresentLines;
}

/** Layer 2: the path is valid and may be used this way. */
export function checkPath({ files }: LayerDeps, name: string, access: "read" | "write" = "write"): void {
  const verdict = files.check(name, access);
  if (!verdict.allowed) throw pathRefused(verdict.reason, { code: verdict.code });
}

/** The same for a name that is changed itself: where a link leads does not matter then. */
export function checkName({ files }: LayerDeps, name: string): void {
  const verdict = files.check(name, "write", { follow: false });
  if (!verdict.allowed) throw pathRefused(verdict.reason, { code: verdict.code });
}

/** Layer 4: something can be created at the path. */
export async function checkCreatable({ files }: LayerDeps, name: string): Promise<void> {
  for (let at = path.dirname(name); ; at = path.dirname(at)) {
    const stat = await statIfSeen(files, at);
    if (stat?.type === "directory") return;
    if (stat !== null) {
      throw pathRefused(
        `${JSON.stringify(name)} cannot be created: ${JSON.stringify(at)} is not a directory.`,
        {
          code: "PATH_INVALID",
          layer: 4,
          hint: "Choose a path whose parents are directories or do not exist yet.",
        },
      );
    }
    if (at === path.dirname(at)) return;
  }
}

/** The entry at a path; `null` too where a rule hides a folder, but not the file in it that the call is about. */
async function statIfSeen(files: LayerDeps["files"], name: string): Promise<FileStat | null> {
  try {
    return await files.stat(name);
  } catch (error) {
    if (error instanceof ToolSecurityError) return null;
    throw error;
  }
}

/** Layer 5: the path exists. */
async function requireFile(deps: LayerDeps, name: string): Promise<FileStat> {
  const stat = await deps.files.stat(name);
  if (stat === null) throw await fileMissing(deps, name);
  return stat;
}

/** The entry at a path. */
export interface PathEntry {
  /** The type of the path itself, without following a symbolic link. */
  readonly type: EntryType;
  /** The target; absent for a broken symbolic link. */
  readonly stat?: FileStat;
}

/** The entry at a path, broken symbolic links included; `null` if there is none. */
export async function entryAt(deps: LayerDeps, name: string): Promise<PathEntry | null> {
  const stat = await deps.files.stat(name);
  if (stat !== null) return { type: isLink(deps, name) ? "symlink" : stat.type, stat };
  const directory = path.dirname(name);
  if ((await statIfSeen(deps.files, directory))?.type !== "directory") return null;
  for await (const entry of deps.files.list(directory)) {
    if (entry.name === path.basename(name)) return { type: entry.type };
  }
  return null;
}

/** Whether a path resolves to something else than its name in its directory. */
function isLink({ files }: LayerDeps, name: string): boolean {
  const plain = path.normalize(name).replace(/[/\\]+$/, "");
  const [whole, directory] = [files.check(plain), files.check(path.dirname(plain))];
  if (!whole.allowed || !directory.allowed) return false;
  return whole.path !== path.join(directory.path, path.basename(plain));
}

/** Layers 5 and 6: the path exists and is a text file; returned with what the session knows about it. */
export async function requireText(deps: LayerDeps, name: string): Promise<PresentFile> {
  // Opened only once; a second look is taken where that fails, to say why.
  const file = await readPresentFile(deps, name).catch(async (error: unknown) => {
    const stat = await requireFile(deps, name);
    if (stat.type === "directory") throw notText(name, "is a directory");
    if (!isReadWhole(deps, stat)) throw tooLargeToChange(name, stat.size, deps.files.maxFileSize ?? 0);
    throw error;
  });
  // A file that was read in an explicitly named encoding counts as text.
  if (file.seen?.encoding === undefined && looksBinary(file.bytes)) throw notText(name, "is a binary file");
  return file;
}

/** Whether a file is small enough to be read as a whole. */
export function isReadWhole({ files }: Pick<LayerDeps, "files">, { size }: FileStat): boolean {
  return size <= (files.maxFileSize ?? Number.POSITIVE_INFINITY);
}

/** Read the whole file, whatever it contains. */
export async function readPresentFile(deps: LayerDeps, name: string): Promise<PresentFile> {
  const known = await deps.seen.load(name);
  const read: LentFile = (await deps.files.lend?.(name)) ?? {
    stat: await requireFile(deps, name),
    bytes: await deps.files.read(name),
    giveBack: () => {},
  };
  const { bytes, stat, giveBack } = read;
  const isBytes = known?.encoding === base64;
  const { encoding } = decodeText(bytes, isBytes ? "auto" : known?.encoding);
  let createdLines: PresentLines | undefined;
  const lines = (): PresentLines => (createdLines ??= createPresentLines(bytes, encoding));
  const seen = isBytes ? seenBytes(known, bytes, lines()) : known;
  return {
    path: name,
    stat,
    bytes,
    giveBack,
    seen,
    encoding,
    get lines() {
      return lines();
    },
  };
}

/** If all bytes were seen and are still the same, all lines count as seen. */
function seenBytes({ identity, runs }: SeenFile, bytes: Uint8Array, lines: PresentLines): SeenFile {
  const shown = runs.flatMap((run) => run.lines).join("");
  const isSame = shown === Buffer.from(bytes).toString("base64");
  const all = { start: 1, lines: lines.slice(1, lines.count) };
  return { identity, runs: isSame && lines.count > 0 ? [all] : [], complete: true };
}

/** The encoding for reading a file as raw bytes. */
export const base64 = "base64";

/** Layers 7 and 8 for a change of the whole file: all of it was seen and is unchanged. */
export function requireAllSeen(file: PresentFile): void {
  const { path: name, seen, lines } = file;
  if (file.bytes.length === 0) return;
  if (lines.count === 0) return;
  if (seen === undefined) throw notRead(name);
  const fresh = compareSeen(seen, lines);
  const verdict = fresh.judge({ startLine: 1, endLine: lines.count });
  if (verdict === "unseen") throw notRead(name, gapsBetween(fresh.known.runs, lines.count));
  if (verdict === "changed" || !fresh.unchanged) throw modifiedSinceRead(name, fresh.firstChange);
}

/** Layer 8 if the file was read before: the lines that were seen are unchanged. */
export async function requireUnchanged(
  deps: LayerDeps,
  name: string,
  stat: FileStat,
  { allowGrowth = false } = {},
): Promise<void> {
  const known = await deps.seen.load(name);
  if (stat.type !== "file" || known === undefined) return;
  if (!isReadWhole(deps, stat)) {
    // Of a very large file only the identity is compared.
    if (stat.identity !== known.identity) throw modifiedSinceRead(name, undefined);
    return;
  }
  const file = await readPresentFile(deps, name);
  const fresh = compareSeen(file.seen ?? known, file.lines);
  if (fresh.unchanged || (allowGrowth && fresh.onlyGrew)) return;
  throw modifiedSinceRead(name, fresh.firstChange);
}

/** The lines that no run covers. */
function gapsBetween(runs: readonly LineRun[], count: number): LineSpan[] {
  const gaps: LineSpan[] = [];
  let startLine = 1;
  for (const run of [...runs, { start: count + 1, lines: [] }]) {
    if (run.start > startLine) gaps.push({ startLine, endLine: run.start - 1 });
    startLine = lastLineOf(run) + 1;
  }
  return gaps;
}
