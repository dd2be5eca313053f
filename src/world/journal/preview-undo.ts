import { createHash } from "node:crypto";
import { errnoOf } from "../../contract/errno.js";
import type { BlobRef, BlobReader, BlobStore, BlobWriter } from "../../contract/ports/blobs.js";
import type { UndoneFile, UndoPreview } from "../../contract/ports/journal.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import { createPause } from "../files/pause.js";
import type { Plan } from "./plan.js";
import { planUndo } from "./plan-undo.js";
import type { UndoDeps, UndoTarget } from "./undo-content.js";
import { readDescriptor } from "./sources.js";
import { readText } from "./undo-conflict.js";
import { createVirtualFiles, type VirtualNode } from "./virtual-files.js";

/** What undoing changes would do. The plan is discarded: nothing is written. */
export async function previewUndo(
  deps: UndoDeps,
  plan: Plan,
  targets: readonly UndoTarget[],
): Promise<UndoPreview> {
  const files = await planUndo(deps, plan, targets);
  const disk = createVirtualFiles(deps.opener);
  const diffs: string[] = [];
  const breathe = createPause();
  let chars = 0;
  let compared = 0;
  for (const real of pathsOf(targets)) {
    if (chars > maxDiffChars) break;
    compared += 1;
    if (compared > maxCompared) {
      diffs.push("The files after these are not compared.\n");
      break;
    }
    await breathe();
    const [now, then] = [disk.look(real), plan.files.look(real)];
    const before = await textOf(plan, now);
    const after = await textOf(plan, then);
    if (before === undefined || after === undefined) continue;
    const path = deps.guard.display(real);
    const names = { oldPath: now === null ? null : path, newPath: then === null ? null : path };
    const diff = unifiedDiff({ ...names, before, after });
    chars += diff.length;
    diffs.push(chars > maxDiffChars ? "The rest of the diff is too long to be shown.\n" : diff);
  }
  return { files: newestOfEach(files), diff: diffs.join("") };
}

const maxDiffChars = 5_000_000;
/** An undo of more files is not read file by file. */
const maxCompared = 1000;

/** Empty for a missing file; `undefined` for anything but a file that its owner may read. */
async function textOf(plan: Plan, node: VirtualNode | null): Promise<string | undefined> {
  if (node === null) return "";
  if (node.type !== "file") return undefined;
  try {
    return await readText(plan, node.source);
  } catch (error) {
    if (errnoOf(error) === "EACCES") return undefined;
    throw error;
  }
}

/** The real paths of changes, without those of implied changes such as parents. */
export function pathsOf(targets: readonly UndoTarget[]): Set<string> {
  const shown = targets.filter((target) => !target.implied);
  return new Set(shown.flatMap(({ step }) => (step.kind === "move" ? [step.from, step.to] : [step.path])));
}

/** One item for each file: from its current content to its final one. */
function newestOfEach(files: readonly UndoneFile[]): UndoneFile[] {
  const byPath = new Map<string, UndoneFile>();
  for (const file of files) {
    const first = byPath.get(file.path);
    byPath.set(
      file.path,
      first === undefined ? file : { ...file, previousContentLen: first.previousContentLen },
    );
  }
  return [...byPath.values()];
}

/** A blob store that stores nothing new, for a plan that is only previewed; what need not last is remembered. */
export function createReadOnlyBlobs(blobs: BlobStore): BlobStore {
  const texts = new Map<string, Uint8Array>();
  return {
    ...blobs,
    async put(data, { durable = true } = {}) {
      const hash = createHash("sha256").update(data).digest("hex");
      if (!durable) texts.set(hash, data);
      return { hash, size: data.length };
    },
    has: (hash) => texts.has(hash) || blobs.has(hash),
    read: async (hash) => texts.get(hash) ?? blobs.read(hash),
    open(hash) {
      const text = texts.get(hash);
      return text === undefined ? blobs.open(hash) : readerOf(text);
    },
    async putFile({ fd }) {
      const writer = createHashingWriter();
      for await (const chunk of readDescriptor(fd, BigInt(Number.MAX_SAFE_INTEGER))) writer.write(chunk);
      return writer.finish();
    },
    create: createHashingWriter,
    remove: () => {},
  };
}

function readerOf(text: Uint8Array): BlobReader {
  return {
    size: text.length,
    readInto(buffer, position) {
      const part = text.subarray(position, position + buffer.length);
      buffer.set(part);
      return part.length;
    },
    close() {},
  };
}

function createHashingWriter(): BlobWriter {
  const digest = createHash("sha256");
  let size = 0;
  return {
    write(chunk) {
      digest.update(chunk);
      size += chunk.length;
    },
    finish: async (): Promise<BlobRef> => ({ hash: digest.digest("hex"), size }),
    abort: () => {},
  };
}
