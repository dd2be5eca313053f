import path from "node:path";
import type { Opener } from "../files/opener.js";
import { statReal } from "./open-path.js";
import type { AdoptedEntry, Adoption } from "./plan-adoptions.js";

const ownerWrite = 0o200;

/**
 * A program may change a file in a directory that its owner may not write to. The change is committed by a rename, which
 * needs that right: the directory is opened before and closed again afterwards, by steps that are taken back like any
 * other if the process is killed.
 */
export function openFolders(
  opener: Opener,
  adoptions: Adoption[],
  user: number | undefined = process.getuid?.(),
): Adoption[] {
  if (user === undefined || user === 0) return adoptions;
  const opening = new Map<string, Adoption>();
  const known = new Set<string>();
  for (const adoption of adoptions) {
    const directory = path.dirname(adoption.path);
    if (adoption.op === "mode" || known.has(directory)) continue;
    known.add(directory);
    const before = closedFolder(opener, directory, user);
    if (before === undefined) continue;
    const text = path.dirname(adoption.text);
    const mode = before.mode | ownerWrite;
    opening.set(directory, { path: directory, text, op: "mode", before, mode, bulk: false, implied: true });
  }
  if (opening.size === 0) return adoptions;
  const isOpened = (each: Adoption): boolean => each.op === "mode" && opening.has(each.path);
  const closing = [...opening.values()].map((opened): Adoption => {
    const own = adoptions.find((each) => each.path === opened.path && isOpened(each));
    const before = { ...opened.before, mode: opened.mode } as AdoptedEntry;
    return own === undefined ? { ...opened, before, mode: opened.before?.mode } : { ...own, before };
  });
  return [...opening.values(), ...adoptions.filter((each) => !isOpened(each)), ...closing];
}

/** A directory of this user that only lacks the right to write. */
function closedFolder(opener: Opener, directory: string, user: number): AdoptedEntry | undefined {
  const stat = statReal(opener, directory);
  if (stat === null || !stat.isDirectory() || stat.uid !== BigInt(user)) return undefined;
  const mode = Number(stat.mode & 0o7777n);
  if ((mode & ownerWrite) !== 0) return undefined;
  const { dev, ino, mtimeNs } = stat;
  return { kind: "folder", dev, ino, mode, size: Number(stat.size), mtimeNs };
}
