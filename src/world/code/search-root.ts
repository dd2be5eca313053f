import path from "node:path";
import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { Files } from "../../contract/ports/files.js";
import { relativeTo, isWithin } from "../files/path-text.js";

export interface SearchRoot {
  /** Absolute real path of the directory. */
  readonly directory: string;
  /** How the directory is shown: relative to the workspace ("" for itself), or absolute. */
  readonly shown: string;
  /** The only file to search in, by its name in the directory. */
  readonly file: string | undefined;
  readonly inWorkspace: boolean;
}

/** Check a path and resolve it to where to search. */
export async function resolveSearchRoot(files: Files, text: string): Promise<SearchRoot> {
  const stat = await files.stat(text); // refuses what this call may not read
  if (stat === null) {
    throw new ToolResourceNotFoundError(`The path ${JSON.stringify(text)} does not exist.`, {
      hint: "Name a directory or a file of the workspace, or leave the path out.",
    });
  }
  const verdict = files.check(text);
  const real = verdict.allowed ? verdict.path : path.resolve(files.root, text);
  const isFile = stat.type === "file";
  const directory = isFile ? path.dirname(real) : real;
  const inWorkspace = isWithin(directory, files.root);
  return {
    directory,
    shown: inWorkspace ? relativeTo(directory, files.root) : directory,
    file: isFile ? path.basename(real) : undefined,
    inWorkspace,
  };
}

/** The displayed path of a file below the root. */
export function shownPath({ shown }: SearchRoot, within: string): string {
  if (shown === "") return within;
  return shown.endsWith("/") ? shown + within : `${shown}/${within}`;
}

/** The displayed path of the root, or of its only file. */
export function pathInWorkspace(root: SearchRoot): string {
  return root.file === undefined ? root.shown : shownPath(root, root.file);
}

/** For sorting paths, the same on every machine. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
