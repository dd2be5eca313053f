import path from "node:path";
import { pathRefused, systemFailure } from "../files/file-errors.js";
import type { GuardDeps } from "../files/locate.js";
import type { Plan, StepMeaning } from "./plan.js";

/** A directory with nothing in it, as the system makes it. */
export const emptyDirectory = { image: { type: "directory", tree: null, size: 0 } } as const;

/** Plan the directories above a path that are not there yet. */
export async function planParents(
  deps: GuardDeps,
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
    if (!verdict.allowed) throw pathRefused(text, verdict);
    await plan.set(directory, emptyDirectory, { op, text, implied: true });
  }
}
