import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "./errno.js";

/**
 * Make a folder and its missing parents. Node's recursive `mkdir` never returns where the kernel says for ever that
 * the parent is missing, as below `/proc`; here that is an error after two tries.
 */
export function makeFolder(path: string, mode?: number): void {
  try {
    makeOne(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if (errnoOf(error) !== "ENOENT" || parent === path) throw error;
    // Another process may have made the parent meanwhile, so the second try comes in any case.
    if (!existsSync(parent)) makeFolder(parent, mode);
    makeOne(path, mode);
  }
}

function makeOne(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

/** Whether a path, or what a link there points to, is a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
