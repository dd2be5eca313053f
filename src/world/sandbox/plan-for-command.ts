import { isFolder } from "../../contract/make-folder.js";
import type { ActiveSandbox } from "./active-sandbox.js";
import { existingCarefulPaths, withoutJudged } from "./begin-run.js";
import { gitMounts } from "./git-mounts.js";
import { type Mount, type MountPlan, planMounts } from "./mount-plan.js";
import type { SandboxCommand } from "./sandbox-types.js";
import type { Guarded } from "./walk-guarded.js";

/** The mounts that enforce the rules for the command. */
export async function planForCommand(
  sandbox: ActiveSandbox,
  command: SandboxCommand,
  { guarded, onLayer }: { readonly guarded: Guarded; readonly onLayer: boolean },
): Promise<MountPlan> {
  const { view, running, index } = sandbox;
  const background = command.background === true;
  const writable = command.readOnly ? [] : [view.workspace, ...view.writable];
  const visible = [view.workspace, ...view.writable, ...view.readable, ...view.tools.programs];
  const roots = visible.map((path) => ({ path, writable: writable.includes(path) }));
  // A running job that did not start with it mounted could replace it with a link to anywhere.
  const isStable = (path: string): boolean => [...running].every((kept) => kept.has(path));
  // What a command on a layer does to a repository is judged by its contents, so that git can remove and rename all of it.
  const isFree = command.readOnly || onLayer;
  const gitDirs = isFree ? [] : [...view.linkedGit, ...guarded.gitDirs.filter(isStable)];
  const gitFiles = isFree ? [] : guarded.gitFiles;
  const isOpened = (path: string): boolean => index.isOpened(path);
  const git = await Promise.all(gitDirs.map((each) => gitMounts(each, { isOpened, background })));
  const rest = background
    ? [...guarded.fixed, ...existingCarefulPaths(guarded)]
    : withoutJudged(sandbox, guarded);
  const fixed = [...rest, ...gitFiles];
  const stores = clonesFrom(sandbox, command, guarded).filter(isStable).map(toPin);
  return planMounts({ guarded: { ...guarded, fixed }, git: [...git.flat(), ...stores], roots, isStable });
}

/**
 * The repositories that a clone on a layer copies from. On a layer, a hard link can get an inode number that differs from
 * the one of its source, which stops `git clone`. From another mount it cannot make links, so it copies.
 */
function clonesFrom(
  { layers }: ActiveSandbox,
  { layer }: SandboxCommand,
  { objectStores, gitDirs }: Guarded,
): readonly string[] {
  if (layer === undefined) return [];
  const isClone = /\bgit\b.*\b(?:clone|submodule)\b/s.test(layer.command);
  if (!isClone && !layers.failedByLinks(layer.command)) return [];
  return [...objectStores, ...gitDirs.map((path) => `${path}/objects`).filter(isFolder)];
}

function toPin(path: string): Mount {
  return { path, kind: "pin", isDirectory: true };
}
