import { basename, relative } from "node:path";
import { messageOf } from "../../contract/message-of.js";
import { isWithin } from "../files/path-text.js";
import type { MountPlan } from "./mount-plan.js";
import type { JudgedRun } from "./quarantine/judge-runs.js";
import { watchRun, type RunWatch } from "./quarantine/watch-run.js";
import type { SandboxCommand, FinishedCommand } from "./sandbox-types.js";
import type { Wall } from "./wall.js";
import type { Guarded } from "./walk-guarded.js";

/**
 * What is left writable because a change of it is judged and put back when the command ends: git writes
 * `.gitmodules` itself, and a checkout of another branch replaces workflows and settings, which mounts would make fail.
 */
export function withoutJudged({ careful }: Wall, { fixed, surveyed }: Guarded): Guarded["fixed"] {
  const judged = surveyed.filter(({ what, rule }) => what === "named" && careful.has(rule));
  return fixed.filter(
    ({ path }) => basename(path) !== ".gitmodules" && !judged.some((each) => isWithin(path, each.path)),
  );
}

/** Paths that need consent and exist: a job, which outlives its call, can only read them. */
export function carefulIn({ surveyed, fixed }: Guarded): Guarded["fixed"] {
  const known = new Set(fixed.map(({ path }) => path));
  return surveyed.flatMap(({ path, kind, what }) =>
    what === "named" && !known.has(path) && (kind === "file" || kind === "directory") ? [{ path, kind }] : [],
  );
}

/** A command under way, whose changes are judged. */
export interface Run {
  readonly judged: JudgedRun;
  readonly watch: RunWatch;
}

/** Note what is there, so that what the command changes can be told from it. */
export function beginRun(
  wall: Wall,
  { origin }: SandboxCommand,
  { guarded, plan }: { readonly guarded: Guarded; readonly plan: MountPlan },
): Run {
  const kept = plan.mounts.filter(({ kind }) => kind === "fix" || kind === "mask").map(({ path }) => path);
  const judged = wall.runs.begin({
    origin: origin ?? { callId: "", sessionId: "", changes: [] },
    surveyed: guarded.surveyed,
    isMounted: (path) => kept.some((each) => isWithin(path, each)),
  });
  return { judged, watch: watchRun(judged, wall.monotonic) };
}

/** Judge what the command changed, once it has ended. */
export async function finishRun({ judged, watch }: Run): Promise<Omit<FinishedCommand, "leftovers">> {
  await watch.stop();
  try {
    await judged.look("ended");
    judged.end();
    return { heldBack: judged.held(), warnings: [] };
  } catch (error) {
    // Its record stays, so that the next start judges it.
    const warning = `What the command changed could not be judged to its end: ${messageOf(error)}.`;
    return { heldBack: judged.held(), warnings: [warning] };
  }
}

/** Say what later commands will not see, although this one made it. */
export async function tellAppeared(
  { index, view }: Wall,
  { paths }: SandboxCommand,
  before: Guarded,
): Promise<string[]> {
  const after = await index.find(paths);
  const namesOf = ({ hidden, consent }: Guarded): string[] => [...hidden, ...consent].map(({ path }) => path);
  const known = new Set(namesOf(before));
  const appeared = namesOf(after).filter((path) => !known.has(path));
  if (appeared.length === 0) return [];
  const shown = appeared
    .slice(0, 20)
    .map((path) => (isWithin(path, view.workspace) ? relative(view.workspace, path) : path));
  return [`The command made paths that rules hide from later commands: ${shown.join(", ")}.`];
}
