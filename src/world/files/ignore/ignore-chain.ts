import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../../contract/errno.js";
import type { Handle } from "../opener.js";
import { isWithin, joinName } from "../path-text.js";
import { compileIgnoreFile, type IgnoreFile } from "./ignore-file.js";

/** The ignore files that apply to a directory, the nearest first. */
export interface IgnoreChain {
  readonly file: IgnoreFile;
  /** Length of the path (as bytes, with a trailing slash) of the directory that the file applies to. */
  readonly base: number;
  readonly above: IgnoreChain | undefined;
}

/** Whether the nearest matching rule ignores an entry. `directory` is its parent's path as bytes, with a trailing slash. */
export function isIgnored(
  chain: IgnoreChain | undefined,
  directory: string,
  entry: { readonly name: string; readonly directory: boolean },
): boolean {
  for (let extendChain = chain; extendChain !== undefined; extendChain = extendChain.above) {
    const verdict = extendChain.file.judge({
      name: entry.name,
      within: extendChain.base >= directory.length ? "" : directory.slice(extendChain.base),
      directory: entry.directory,
    });
    if (verdict !== undefined) return verdict;
  }
  return false;
}

/** A path as a string with one character per byte, which is what git compares. */
export function toByteString(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** The chain for the entries of a directory, given that of its parent and the ignore files it contains. */
export function chainForDirectory(
  above: IgnoreChain | undefined,
  { handle, bytes, names }: { handle: Handle; bytes: string; names: IgnoreNames },
): IgnoreChain | undefined {
  // A repository inside another one follows its own rules only.
  const outer = names.git ? link(undefined, readIgnoreFile(handle.at(".git/info/exclude")), bytes) : above;
  return names.gitignore ? link(outer, readIgnoreFile(handle.at(".gitignore")), bytes) : outer;
}

/** Which of the relevant names a directory contains. */
export interface IgnoreNames {
  readonly git: boolean;
  readonly gitignore: boolean;
}

/**
 * The chain of the directories above one: up to its repository, or, outside of any, up to the given root.
 * Only ignore files are read there.
 */
export function chainOfAncestors(real: string, root: string): IgnoreChain | undefined {
  const above: string[] = [];
  let repository = false;
  for (let at = real; !repository && path.dirname(at) !== at;) {
    if (at !== real) above.push(at);
    repository = pathExists(joinName(at, ".git"));
    at = path.dirname(at);
  }
  // The directory itself comes later, with its own files.
  const wanted = repository ? above : above.filter((directory) => isWithin(directory, root));
  let chain: IgnoreChain | undefined;
  for (const directory of wanted.toReversed()) {
    const bytes = `${toByteString(directory)}/`;
    if (pathExists(joinName(directory, ".git"))) {
      chain = link(chain, readIgnoreFile(joinName(directory, ".git/info/exclude")), bytes);
    }
    chain = link(chain, readIgnoreFile(joinName(directory, ".gitignore")), bytes);
  }
  return chain;
}

function link(
  above: IgnoreChain | undefined,
  file: IgnoreFile | undefined,
  bytes: string,
): IgnoreChain | undefined {
  return file === undefined || file.empty ? above : { file, base: bytes.length, above };
}

const maxIgnoreFileBytes = 1024 * 1024;

/** `undefined` where the file is missing, not a regular file, or too large. */
function readIgnoreFile(at: string | Buffer): IgnoreFile | undefined {
  const fd = attempt(() =>
    openSync(at, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)),
  );
  if (fd === undefined) return undefined;
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > maxIgnoreFileBytes) return undefined;
    const buffer = Buffer.allocUnsafe(stat.size);
    let filled = 0;
    for (let got = 1; got > 0 && filled < buffer.length; filled += got) {
      got = readSync(fd, buffer, filled, buffer.length - filled, filled);
    }
    return compileIgnoreFile(buffer.toString("latin1", 0, filled));
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function pathExists(at: string): boolean {
  return attempt(() => lstatSync(at, { throwIfNoEntry: false }) !== undefined) ?? false;
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7e) return false;
  return true;
}
