import { fileConflict } from "../files/file-errors.js";
import { identityOf } from "../files/file-stat.js";
import { holdsBytes, type SourceDeps } from "./sources.js";
import type { VirtualNode } from "./virtual-files.js";

/** Refuse where something no longer is what the caller looked at. */
export function checkIdentity(text: string, node: VirtualNode | null, wanted: string | undefined): void {
  if (wanted === undefined) return;
  if (node === null) throw fileConflict(text, "was deleted by someone else");
  if (node.disk !== undefined && identityOf(node.disk.stat) === wanted) return;
  throw fileConflict(text, "has been changed by someone else");
}

export interface ContentCheck {
  readonly text: string;
  readonly node: VirtualNode | null;
  /** What it must hold; nothing is checked without it. */
  readonly wanted: Uint8Array | undefined;
}

/** Refuse where a file no longer holds what the caller saw, byte by byte: times and sizes may be the same after a change. */
export async function checkContent(deps: SourceDeps, { text, node, wanted }: ContentCheck): Promise<void> {
  if (wanted === undefined) return;
  if (node === null) throw fileConflict(text, "was deleted by someone else");
  if (node.type === "file" && node.size === wanted.length && (await holdsBytes(deps, node.source, wanted)))
    return;
  throw fileConflict(text, "has been changed by someone else");
}
