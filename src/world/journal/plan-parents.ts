import path from "node:path";
import { refused, systemFailure } from "../files/file-errors.js";
import type { JudgeDeps } from "./locate-real.js";
import type { Plan, StepMeaning } from "./plan.js";

/** A directory with nothing in it, as the system makes it. */
export const emptyDirectory = { image: { type: "directory", tree: null, size: 0 } } as const;

/** Plan the directories above a path that are not there yet. */
export async function planParents(
  deps: JudgeDeps,
  plan: Plan,
  { real, text, op }: { real: string } & Pick<StepMeaning, "text" | "op">,
): Promise<void> {
  const missing: string[] = [];
  for (let directory = path.dirname(real); ; directory = path.dirname(directory)) {
    const node = plan.files.look(directory);
    if (node?.type === "directory" || directory === path.dirname(directory)) break;
    if (node !== null) throw systemFailure(text, "ENOTDIR");
    missing.unshift(directory);
  }
  for (const directory of missing) {
    const verdict = deps.rules.judge(directory, "write");
    if (!verdict.allowed) throw refused(text, verdict);
    await plan.set(directory, emptyDirectory, { op, text, implied: true });
  }
}
