import type { GuardDeps } from "../files/locate.js";
import { diskUsage, type KeptFiles } from "./kept-files.js";
import { statReal } from "./open-path.js";
import type { Plan, StepMeaning } from "./plan.js";
import { maxHashedBytes } from "./text-pack.js";
import type { VirtualNode } from "./virtual-files.js";

export interface SetAsideDeps extends GuardDeps {
  readonly kept: KeptFiles;
  /** The real path of the workspace. */
  readonly root: string;
}

/** What is replaced or removed. */
export interface AsideSubject {
  readonly real: string;
  readonly node: VirtualNode | null;
  readonly meaning: StepMeaning;
}

/** Trees up to this size are packed, like all other contents. */
const maxPackedBytes = 64 * 1024 * 1024;

/**
 * Plan to move a large file or directory into the journal's store by a rename, which takes no time and no space
 * whatever its size. Returns `false` for anything small, and where the store is on another file system.
 */
export async function setAside(
  { kept, root, opener }: SetAsideDeps,
  plan: Plan,
  { real, node, meaning }: AsideSubject,
): Promise<boolean> {
  if (node?.disk === undefined || node.disk.real !== real) return false;
  const bytes = await largeSize(plan, real, node);
  if (bytes === undefined) return false;
  if (node.disk.stat.dev !== statReal(opener, root)?.dev || !kept.accepts(root)) return false;
  const stored = kept.newSlot();
  await plan.rename(
    { path: real, stored, into: "store" },
    { ...meaning, blobs: [kept.refOf(stored, bytes)] },
  );
  return true;
}

/** The size of something that is too large to be copied; `undefined` for anything else. */
async function largeSize(plan: Plan, real: string, node: VirtualNode): Promise<number | undefined> {
  if (node.type === "file") return node.size > maxHashedBytes ? node.size : undefined;
  if (node.type !== "directory" || plan.files.untouched(real) === undefined) return undefined;
  const bytes = await diskUsage(real);
  return bytes > maxPackedBytes ? bytes : undefined;
}
