import { basename, relative } from "node:path";
import { messageOf } from "../../contract/message-of.js";
import { isWithin } from "../files/path-text.js";
import type { MountPlan } from "./mount-plan.js";
import type { JudgedRun } from "./quarantine/judge-runs.js";
import { watchRun, type RunWatch } from "./quarantine/watch-run.js";
import type { SandboxCommand, FinishedCommand } from "./sandbox-types.js";
import type { ActiveSandbox } from "./active-sandbox.js";
import type { Guarded } from "./walk-guarded.js";

/**
 * Read-only paths without those whose changes are judged when the command ends: git writes `.gitmodules` itself, and a
 * checkout of another branch replaces workflows and settings, which would fail on read-only mounts.
 */
export function withoutJudged({ careful }: ActiveSandbox, { fixed, sensitive }: Guarded): Guarded["fixed"] {
  const judged = sensitive.filter(({ what, rule }) => what === "named" && careful.has(rule));
  return fixed.filter(
    ({ path }) => basename(path) !== ".gitmodules" && !judged.some((each) => isWithin(path, each.path)),
  );
}

/** Existing paths that change only with consent: read-only for a job, which outlives its call. */
export function existingCarefulPaths({ sensitive, fixed }: Guarded): Guarded["fixed"] {
  const known = new Set(fixed.map(({ path }) => path));
  return sensitive.flatMap(({ path, kind, what }) =>
    what === "named" && !known.has(path) && (kind === "file" || kind === "directory") ? [{ path, kind }] : [],
  );
}

/** A running command whose changes are judged. */
export interface Run {
  readonly judged: JudgedRun;
  readonly watch: RunWatch;
}

export interface RunParts {
  readonly guarded: Guarded;
  readonly plan: MountPlan;
  /** Whether it runs on a layer, so that it can only change folders outside the workspace. */
  readonly onLayer: boolean;
}

/** Record the current state, so that changes by the command can be detected; `undefined` if it can change nothing. */
export function beginRun(
  sandbox: ActiveSandbox,
  { origin, readOnly }: SandboxCommand,
  { guarded, plan, onLayer }: RunParts,
): Run | undefined {
  const { workspace, writable } = sandbox.view;
  if (readOnly || (onLayer && writable.length === 0)) return undefined;
  const isUnreachable = (path: string): boolean => onLayer && isWithin(path, workspace);
  const protectedPaths = plan.mounts
    .filter(({ kind }) => kind === "fix" || kind === "mask")
    .map(({ path }) => path);
  const judged = sandbox.runs.begin({
    origin: origin ?? { callId: "", sessionId: "", changes: [] },
    sensitive: guarded.sensitive.filter(({ path }) => !isUnreachable(path)),
    isMounted: (path) => isUnreachable(path) || protectedPaths.some((each) => isWithin(path, each)),
  });
  return { judged, watch: watchRun(judged, sandbox.monotonic) };
}

/** Judge what the command changed, once it has ended. */
export async function finishRun({ judged, watch }: Run): Promise<Omit<FinishedCommand, "leftovers">> {
  await watch.stop();
  try {
    await judged.check("ended");
    judged.end();
    return { heldBack: judged.held(), warnings: [] };
  } catch (error) {
    // Its record is kept, so that the next start judges it.
    const warning = `The changes of the command could not be judged completely: ${messageOf(error)}.`;
    return { heldBack: judged.held(), warnings: [warning] };
  }
}

/** A message about paths that the command created and that are hidden from later commands. */
export async function hiddenPathsNote(
  { index, view }: ActiveSandbox,
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
  return [`The command created paths that rules hide from later commands: ${shown.join(", ")}.`];
}
