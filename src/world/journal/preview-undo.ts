import type { UndoneFile, UndoPreview } from "../../contract/ports/journal.js";
import type { Plan } from "./plan.js";
import { planUndo, type UndoGround, type UndoTarget } from "./plan-undo.js";
import { createVirtualFiles } from "./virtual-files.js";
import { diffTexts, readText } from "./undo-conflict.js";

/** What taking changes back would do. The plan is thrown away: nothing is written. */
export async function previewUndo(
  ground: UndoGround,
  plan: Plan,
  targets: readonly UndoTarget[],
): Promise<UndoPreview> {
  const files = await planUndo(ground, plan, targets);
  const disk = createVirtualFiles(ground.opener);
  const diffs: string[] = [];
  for (const real of pathsOf(targets)) {
    const [now, then] = [disk.look(real), plan.files.look(real)];
    const before = now?.type === "file" ? await readText(plan, now.source) : textOfNone(now);
    const after = then?.type === "file" ? await readText(plan, then.source) : textOfNone(then);
    if (before === undefined || after === undefined || before === after) continue;
    diffs.push(await diffTexts({ path: ground.guard.display(real), before, after }));
  }
  return { files: newestOfEach(files), diff: diffs.join("") };
}

/** What is not there has no text; what is there but no file cannot be shown. */
function textOfNone(node: object | null): string | undefined {
  return node === null ? "" : undefined;
}

/** The real paths that changes are about; what came along with them is left out. */
export function pathsOf(targets: readonly UndoTarget[]): Set<string> {
  const shown = targets.filter((target) => !target.implied);
  return new Set(shown.flatMap(({ step }) => (step.kind === "set" ? [step.path] : [step.from, step.to])));
}

/** One line a file: from what it has now to what it will have in the end. */
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
