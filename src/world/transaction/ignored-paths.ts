import { dirname, basename } from "node:path";
import { chainOfAncestors, isIgnored, toByteString, type IgnoreChain } from "../files/ignore/ignore-chain.js";
import { entryAt } from "../sandbox/layer/entry-state.js";
import { isInDependencies } from "../sandbox/quarantine/dependency-folders.js";

/** Whether a path, relative to the workspace, can be created again: installed packages, and what git ignores. */
export function createBulkCheck(workspace: string): (path: string) => boolean {
  const chains = new Map<string, IgnoreChain | undefined>();
  const ignored = new Map<string, boolean>();
  const chainFor = (folder: string, real: string): IgnoreChain | undefined => {
    if (!chains.has(folder)) chains.set(folder, chainOfAncestors(real, workspace));
    return chains.get(folder);
  };
  const check = (path: string): boolean => {
    const known = ignored.get(path);
    if (known !== undefined) return known;
    const real = `${workspace}/${path}`;
    const folder = dirname(path);
    const above = folder !== "." && check(folder);
    const directory = entryAt(real)?.state.kind === "folder";
    const entry = { name: toByteString(basename(path)), directory };
    const result = above || isIgnored(chainFor(folder, real), `${toByteString(dirname(real))}/`, entry);
    ignored.set(path, result);
    return result;
  };
  return (path) => isInDependencies(`${path}/x`) || check(path);
}
