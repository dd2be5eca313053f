import { createHash } from "node:crypto";
import type { BlobRef, BlobStore, BlobWriter } from "../../contract/ports/blobs.js";
import type { UndoneFile, UndoPreview } from "../../contract/ports/journal.js";
import { unifiedDiff } from "../../text/unified-diff.js";
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
  for (const real of pathsOf(targets)) {
    const [now, then] = [disk.look(real), plan.files.look(real)];
    const before = await textOf(plan, now);
    const after = await textOf(plan, then);
    if (before === undefined || after === undefined) continue;
    const path = deps.guard.display(real);
    const names = { oldPath: now === null ? null : path, newPath: then === null ? null : path };
    diffs.push(unifiedDiff({ ...names, before, after }));
  }
  return { files: newestOfEach(files), diff: diffs.join("") };
}

/** Empty for a missing file; `undefined` for anything but a file. */
async function textOf(plan: Plan, node: VirtualNode | null): Promise<string | undefined> {
  if (node === null) return "";
  return node.type === "file" ? readText(plan, node.source) : undefined;
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

/** A blob store that stores nothing new, for a plan that is only previewed. */
export function createReadOnlyBlobs(blobs: BlobStore): BlobStore {
  return {
    ...blobs,
    put: async (data) => ({ hash: createHash("sha256").update(data).digest("hex"), size: data.length }),
    async putFile({ fd }) {
      const writer = createHashingWriter();
      for await (const chunk of readDescriptor(fd, BigInt(Number.MAX_SAFE_INTEGER))) writer.write(chunk);
      return writer.finish();
    },
    create: createHashingWriter,
    remove: () => {},
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
