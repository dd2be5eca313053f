import { readlinkSync } from "node:fs";
import path from "node:path";
import type { DirectoryImage, JournalChange, RenamedNode, RenameStep } from "../../contract/ports/journal.js";
import { fileConflict, fileNotFound, notRegularFile } from "../files/file-errors.js";
import type { Stop } from "./change-lock.js";
import { storeImage, toContent } from "./images.js";
import { diskUsage, type KeptFiles } from "./kept-files.js";
import { openPath, stampOf, statReal, type OpenPath } from "./open-path.js";
import type { Plan, PlannedStep } from "./plan.js";
import { renamedDirectory } from "./renamed-node.js";
import type { SourceDeps } from "./sources.js";
import { createTextPack, type TextPack } from "./text-pack.js";
import { createVirtualFiles } from "./virtual-files.js";
import { drain } from "../files/drain.js";
import { createPause } from "../files/pause.js";

/** What `lstat` reports about an entry. */
export interface AdoptedEntry {
  readonly kind: "file" | "folder" | "link" | "special";
  readonly dev: bigint;
  readonly ino: bigint;
  /** Permissions. */
  readonly mode: number;
  readonly size: number;
  readonly mtimeNs: bigint;
}

/** The entry of a layer, and where it lies. */
export interface NewEntry extends AdoptedEntry {
  readonly path: string;
  /** Of a file that was read before, as this very version. */
  readonly content?: Uint8Array | undefined;
}

/** One change of a command, which puts an entry of its layer into the workspace or removes one there. Paths are real. */
export interface Adoption {
  readonly path: string;
  /** The path to show. */
  readonly text: string;
  readonly op: "create" | "write" | "delete" | "mode";
  /** The new entry and where it lies; absent for a removal and for other permissions. */
  readonly from?: NewEntry | undefined;
  /** What is at the path now, as it was judged; `null` for nothing. If it changes meanwhile, nothing is applied. */
  readonly before: AdoptedEntry | null;
  /** It can be created again, such as installed packages. */
  readonly bulk: boolean;
  /** It came along with another change: not shown, and undone with it. */
  readonly implied?: boolean;
  /** Other permissions of a directory that stays, or those of a directory to create, of which `from` is absent. */
  readonly mode?: number | undefined;
}

/** How a command's changes are applied. */
export interface AdoptOptions extends Stop {
  /** Waited for once the intent is written down, before anything else changes; if it throws, nothing is applied. */
  readonly ready?: (() => Promise<void>) | undefined;
}

export interface AdoptionDeps extends SourceDeps {
  readonly kept: KeptFiles;
  /** Unique part of the names of temporary directories. */
  readonly token: string;
}

/** How adoptions are carried out. */
export interface PlannedAdoptions {
  readonly steps: readonly PlannedStep[];
  /** Store what a later undo needs to merge, before the change counts as done. */
  readonly storeTexts?: (() => Promise<void>) | undefined;
}

/**
 * Plan renames, each independent of the others: what is replaced goes into the journal's store, what is new comes into
 * the workspace. Takes time in proportion to the number of changes, and empties the array of them.
 */
export async function planAdoptions(deps: AdoptionDeps, adoptions: Adoption[]): Promise<PlannedAdoptions> {
  const planned: PlannedStep[] = [];
  const texts = createTextPack();
  const breathe = createPause();
  for (const adoption of drain(inOrder(adoptions))) {
    await breathe();
    const { from, before } = adoption;
    if (before?.kind !== "file") requireUnchanged(deps, adoption);
    if (adoption.mode !== undefined) {
      planned.push(
        adoption.op === "create" ? planFolder(deps, adoption, planned.length) : planMode(adoption),
      );
      continue;
    }
    const replaced = before?.kind === "file" && from?.kind === "file" ? stampOfEntry(before) : undefined;
    if (before !== null) planned.push(await planReplaced(deps, adoption, { before, replaced }));
    if (from !== undefined) planned.push(await planLanding(deps, { ...adoption, from }, { texts, replaced }));
  }
  return { steps: texts.attach(planned), storeTexts: () => texts.store(deps.blobs) };
}

/** The same where the store is on another file system: contents are copied. */
export async function planCopies(plan: Plan, adoptions: readonly Adoption[]): Promise<PlannedAdoptions> {
  const layer = createVirtualFiles(plan.deps.opener);
  for (const { path: real, text, op, from, mode, implied = false } of adoptions) {
    const meaning = { op, text, implied };
    if (mode !== undefined) {
      if (op === "create") await plan.set(real, { image: folderImage(mode) }, meaning);
      else plan.setMode(real, mode, meaning);
      continue;
    }
    if (plan.files.look(real) !== null) {
      await plan.set(real, null, { ...meaning, implied: implied || from !== undefined });
    }
    if (from === undefined) continue;
    const node = layer.look(from.path);
    if (node === null) throw fileNotFound(text);
    if (node.type === "other") throw notRegularFile(text);
    const { image } = await storeImage({ ...plan.deps, files: layer }, { real: from.path, node, text });
    await plan.set(real, await toContent(plan.deps.blobs, image), meaning);
  }
  return { steps: plan.steps() };
}

/** A directory is opened for its owner before anything in it is changed, and closed afterwards. */
function inOrder(adoptions: Adoption[]): Adoption[] {
  const closes = ({ op, mode = ownerWrite }: Adoption): boolean => op === "mode" && (mode & ownerWrite) === 0;
  const closing = adoptions.filter(closes);
  if (closing.length === 0) return adoptions;
  return [...adoptions.filter((each) => !closes(each)), ...closing.toReversed()];
}

const ownerWrite = 0o200;

/** A link or folder is looked at while the change is planned; a file is compared when it is replaced. */
function requireUnchanged({ opener }: SourceDeps, { path: real, text, before }: Adoption): void {
  const stat = statReal(opener, real);
  const isSame = before === null ? stat === null : stat !== null && stampOf(stat) === stampOfEntry(before);
  if (!isSame) throw fileConflict(text, "was changed by another process meanwhile");
}

function planMode({ path: real, text, op, before, mode = 0, implied = false }: Adoption): PlannedStep {
  if (before === null) throw fileNotFound(text);
  const step = { kind: "mode", path: real, before: before.mode, after: mode } as const;
  return {
    ...toPlanned({ op, step, sizeBefore: 0, sizeAfter: 0, implied, blobs: [] }, text),
    expects: [{ real, stamp: stampOfEntry(before) }],
  };
}

/** A directory that is created empty, because not everything that the command put there comes with it. */
function planFolder(
  { opener, token }: AdoptionDeps,
  { path: real, text, op, mode = 0 }: Adoption,
  seq: number,
): PlannedStep {
  const image = folderImage(mode);
  let existing = path.dirname(real);
  while (statReal(opener, existing) === null) existing = path.dirname(existing);
  const temp = path.join(existing, `.tenon-${token}-${seq}.tmp`);
  const step = { kind: "set", path: real, before: null, after: image, temp } as const;
  const change = { op, step, sizeBefore: null, sizeAfter: 0, implied: false, blobs: [] };
  return { change, content: { image }, expects: [{ real, stamp: null }], madeBy: undefined, text };
}

function folderImage(mode: number): DirectoryImage {
  return { type: "directory", mode, tree: null, size: 0 };
}

async function planReplaced(
  deps: AdoptionDeps,
  { path: real, text, op, from, bulk }: Adoption,
  { before, replaced }: { readonly before: AdoptedEntry; readonly replaced: string | undefined },
): Promise<PlannedStep> {
  const stored = deps.kept.newSlot(bulk ? "bulk" : "own");
  const node = nodeOf(deps, real, before);
  const size = bulk ? 0 : node.type === "directory" ? await diskUsage(real) : node.size;
  const step = renameStep({ path: real, stored, into: "store", bulk }, before, node);
  const change: JournalChange = {
    op,
    step,
    sizeBefore: node.size,
    sizeAfter: null,
    implied: from !== undefined,
    blobs: [deps.kept.refOf(stored, size)],
  };
  const expects = replaced === undefined ? [{ real, stamp: stampOfEntry(before) }] : [];
  return { ...toPlanned(change, text), expects, replaced };
}

async function planLanding(
  deps: AdoptionDeps,
  { path: real, text, op, from, before, bulk }: Adoption & { readonly from: NewEntry },
  { texts, replaced }: { readonly texts: TextPack; readonly replaced: string | undefined },
): Promise<PlannedStep> {
  const known = nodeOf(deps, from.path, from);
  const node = known.type === "file" ? { ...known, ...(await texts.add(deps, from)) } : known;
  const change: JournalChange = {
    op,
    step: renameStep({ path: real, stored: from.path, into: "workspace", bulk }, from, node),
    sizeBefore: before === null ? null : before.kind === "folder" ? 0 : before.size,
    sizeAfter: node.size,
    implied: false,
    blobs: [],
  };
  const expects = before === null ? [{ real, stamp: null }] : [];
  return { ...toPlanned(change, text), expects, replaced };
}

function renameStep(
  { bulk, ...ends }: Pick<RenameStep, "path" | "stored" | "into"> & { readonly bulk: boolean },
  { dev, ino }: AdoptedEntry,
  node: RenamedNode,
): RenameStep {
  return { kind: "rename", ...ends, inode: `${dev}:${ino}`, node, ...(bulk && { bulk }) };
}

function toPlanned(change: JournalChange, text: string): PlannedStep {
  return { change, content: null, expects: [], madeBy: undefined, text };
}

/** The same as `stampOf` of what `lstat` reports. */
function stampOfEntry({ kind, dev, ino, mtimeNs, size }: AdoptedEntry): string {
  return kind === "folder" ? `${dev}:${ino}` : `${dev}:${ino}:${mtimeNs}:${size}`;
}

/** What is remembered about a file, link or directory without reading it. */
function nodeOf(deps: SourceDeps, real: string, { kind, mode, size, mtimeNs }: AdoptedEntry): RenamedNode {
  if (kind === "folder") return renamedDirectory(mode);
  if (kind === "link") {
    const target = withOpen(deps, real, ({ at }) => readlinkSync(at, "buffer").toString("latin1"));
    return { type: "symlink", size: target.length, target };
  }
  return kind === "file" ? { type: "file", size, modified: String(mtimeNs) } : { type: "special", size: 0 };
}

function withOpen<Result>(deps: SourceDeps, real: string, act: (opened: OpenPath) => Result): Result {
  const opened = openPath(deps.opener, real);
  try {
    return act(opened);
  } finally {
    opened.directory.close();
  }
}
