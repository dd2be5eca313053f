import { readlinkSync, type BigIntStats } from "node:fs";
import path from "node:path";
import type { DirectoryImage, JournalChange, RenamedNode, RenameStep } from "../../contract/ports/journal.js";
import { fileConflict, fileNotFound, notRegularFile } from "../files/file-errors.js";
import { storeImage, toContent } from "./images.js";
import { diskUsage, type KeptFiles } from "./kept-files.js";
import { inodeOf, openPath, stampOf, statReal, type OpenPath } from "./open-path.js";
import type { Expectation, Plan, PlannedStep } from "./plan.js";
import type { SourceDeps } from "./sources.js";
import { createTextPack, type TextPack } from "./text-pack.js";
import { createVirtualFiles } from "./virtual-files.js";
import { createPause } from "../files/pause.js";

/** One change of a command, which puts an entry of its layer into the workspace or removes one there. Paths are real. */
export interface Adoption {
  readonly path: string;
  /** The path to show. */
  readonly text: string;
  readonly op: "create" | "write" | "delete" | "mode";
  /** Where the new entry lies; absent for a removal and for other permissions. */
  readonly from?: string | undefined;
  /** What is at the path now, as it was judged; `null` for nothing. */
  readonly before: { readonly dev: bigint; readonly ino: bigint } | null;
  /** It can be created again, such as installed packages. */
  readonly bulk: boolean;
  /** Other permissions of a directory that stays, or those of a directory to create, of which `from` is absent. */
  readonly mode?: number | undefined;
}

export interface AdoptionDeps extends SourceDeps {
  readonly kept: KeptFiles;
  /** Unique part of the names of temporary directories. */
  readonly token: string;
}

/**
 * Plan renames, each independent of the others: what is replaced goes into the journal's store, what is new comes into
 * the workspace. Takes time in proportion to the number of changes.
 */
export async function planAdoptions(
  deps: AdoptionDeps,
  adoptions: readonly Adoption[],
): Promise<readonly PlannedStep[]> {
  const planned: PlannedStep[] = [];
  const texts = createTextPack();
  const breathe = createPause();
  for (const adoption of adoptions) {
    await breathe();
    const present = lookAt(deps, adoption);
    if (adoption.mode !== undefined) {
      planned.push(
        adoption.op === "create" ? planFolder(deps, adoption, planned.length) : planMode(adoption, present),
      );
      continue;
    }
    if (present !== null) planned.push(await planReplaced(deps, adoption, present));
    if (adoption.from === undefined) continue;
    planned.push(await planLanding(deps, { ...adoption, from: adoption.from }, { present, texts }));
  }
  return texts.attach(deps.blobs, planned);
}

/** The same where the store is on another file system: contents are copied. */
export async function planCopies(plan: Plan, adoptions: readonly Adoption[]): Promise<void> {
  const layer = createVirtualFiles(plan.deps.opener);
  for (const { path: real, text, op, from, mode } of adoptions) {
    const meaning = { op, text };
    if (mode !== undefined) {
      if (op === "create") await plan.set(real, { image: folderImage(mode) }, meaning);
      else plan.setMode(real, mode, meaning);
      continue;
    }
    if (plan.files.look(real) !== null) {
      await plan.set(real, null, { ...meaning, implied: from !== undefined });
    }
    if (from === undefined) continue;
    const node = layer.look(from);
    if (node === null) throw fileNotFound(text);
    if (node.type === "other") throw notRegularFile(text);
    const { image } = await storeImage({ ...plan.deps, files: layer }, { real: from, node, text });
    await plan.set(real, await toContent(plan.deps.blobs, image), meaning);
  }
}

/** What is at the path; throws if it is not what was judged. */
function lookAt({ opener }: SourceDeps, { path: real, text, before }: Adoption): BigIntStats | null {
  const stat = statReal(opener, real);
  const isSame = before === null ? stat === null : stat?.dev === before.dev && stat.ino === before.ino;
  if (!isSame) throw fileConflict(text, "was changed by another process meanwhile");
  return stat;
}

function planMode({ path: real, text, op, mode = 0 }: Adoption, present: BigIntStats | null): PlannedStep {
  if (present === null) throw fileNotFound(text);
  const before = Number(present.mode) & 0o7777;
  const step = { kind: "mode", path: real, before, after: mode } as const;
  return toPlanned({ op, step, sizeBefore: 0, sizeAfter: 0, implied: false, blobs: [] }, text, []);
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
  present: BigIntStats,
): Promise<PlannedStep> {
  const stored = deps.kept.newSlot(bulk ? "bulk" : "own");
  const node = nodeOf(deps, real, present);
  const size = bulk ? 0 : present.isDirectory() ? await diskUsage(real) : node.size;
  const step = renameStep({ path: real, stored, into: "store", bulk }, { stat: present, node });
  const change: JournalChange = {
    op,
    step,
    sizeBefore: node.size,
    sizeAfter: null,
    implied: from !== undefined,
    blobs: [deps.kept.refOf(stored, size)],
  };
  return toPlanned(change, text, [{ real, stamp: stampOf(present) }]);
}

async function planLanding(
  deps: AdoptionDeps,
  { path: real, text, op, from, bulk }: Adoption & { readonly from: string },
  { present, texts }: { readonly present: BigIntStats | null; readonly texts: TextPack },
): Promise<PlannedStep> {
  const stat = statReal(deps.opener, from);
  if (stat === null) throw fileNotFound(text);
  const known = nodeOf(deps, from, stat);
  const node = known.type === "file" ? { ...known, ...(await texts.add(deps, from, stat)) } : known;
  const change: JournalChange = {
    op,
    step: renameStep({ path: real, stored: from, into: "workspace", bulk }, { stat, node }),
    sizeBefore: present === null ? null : present.isDirectory() ? 0 : Number(present.size),
    sizeAfter: node.size,
    implied: false,
    blobs: [],
  };
  return toPlanned(change, text, present === null ? [{ real, stamp: null }] : []);
}

function renameStep(
  { bulk, ...ends }: Pick<RenameStep, "path" | "stored" | "into"> & { readonly bulk: boolean },
  { stat, node }: { readonly stat: BigIntStats; readonly node: RenamedNode },
): RenameStep {
  return { kind: "rename", ...ends, inode: inodeOf(stat), node, ...(bulk && { bulk }) };
}

function toPlanned(change: JournalChange, text: string, expects: readonly Expectation[]): PlannedStep {
  return { change, content: null, expects, madeBy: undefined, text };
}

/** What is remembered about a file, link or directory without reading it. */
function nodeOf(deps: SourceDeps, real: string, stat: BigIntStats): RenamedNode {
  if (stat.isDirectory()) return { type: "directory", size: 0 };
  if (stat.isSymbolicLink()) {
    const target = withOpen(deps, real, ({ at }) => readlinkSync(at, "buffer").toString("latin1"));
    return { type: "symlink", size: target.length, target };
  }
  if (!stat.isFile()) return { type: "special", size: 0 };
  return { type: "file", size: Number(stat.size), modified: String(stat.mtimeNs) };
}

function withOpen<Result>(deps: SourceDeps, real: string, act: (opened: OpenPath) => Result): Result {
  const opened = openPath(deps.opener, real);
  try {
    return act(opened);
  } finally {
    opened.close();
  }
}
