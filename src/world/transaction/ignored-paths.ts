import { dirname, basename } from "node:path";
import { chainOfAncestors, isIgnored, toByteString, type IgnoreChain } from "../files/ignore/ignore-chain.js";
import { isInDependencies } from "../sandbox/quarantine/dependency-folders.js";

/** Whether a path, relative to the workspace, can be created again: installed packages, and what git ignores. */
export function createBulkCheck(workspace: string): (path: string, isFolder: boolean) => boolean {
  const chains = new Map<string, IgnoreChain | undefined>();
  const ignored = new Map<string, boolean>();
  const chainFor = (folder: string, real: string): IgnoreChain | undefined => {
    if (!chains.has(folder)) chains.set(folder, chainOfAncestors(real, workspace));
    return chains.get(folder);
  };
  const check = (path: string, directory: boolean): boolean => {
    const folder = dirname(path);
    if (folder !== "." && isIgnoredFolder(folder)) return true;
    const real = `${workspace}/${path}`;
    const chain = chainFor(folder, real);
    const entry = { name: toByteString(basename(path)), directory };
    return isIgnored(chain, `${toByteString(dirname(real))}/`, entry);
  };
  const isIgnoredFolder = (folder: string): boolean => {
    const known = ignored.get(folder) ?? check(folder, true);
    ignored.set(folder, known);
    return known;
  };
  return (path, isFolder) => isInDependencies(`${path}/x`) || check(path, isFolder);
}
