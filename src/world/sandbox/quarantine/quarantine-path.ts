import { lstatSync, renameSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { HeldItem } from "../../../contract/ports/quarantine.js";
import { hashOf, type HeldStore } from "./held-store.js";
import type { PathContent } from "./judge-change.js";
import { readSnapshot, type Snapshot } from "./snapshots.js";
import { withFolder } from "./with-folder.js";

/** A path whose change is held back. */
export interface QuarantineRequest {
  readonly path: string;
  readonly id: string;
  /** What was there before the run. */
  readonly before: Snapshot | undefined;
  /** The content to put there, if not the previous one. */
  readonly instead: Uint8Array | undefined;
  readonly item: Pick<HeldItem, "callId" | "sessionId" | "at" | "reason" | "rule">;
}

/**
 * Move the content of a path into the store and restore the previous or harmless version. The path is renamed first, so
 * that concurrent writes do not matter. `undefined` if nothing exists there any more.
 */
export function quarantinePath(store: HeldStore, request: QuarantineRequest): HeldItem | undefined {
  const { path, id, before, instead } = request;
  return withFolder(dirname(path), (folder) => {
    const place = join(folder, basename(path));
    const aside = join(folder, `${basename(path).slice(0, 200)}.${id}`);
    const left = instead === undefined ? before?.content : ({ kind: "file", bytes: instead } as const);
    const hash = left === undefined ? null : hashContent(left);
    const change = before === undefined ? "new" : "changed";
    const common = { ...request.item, id, path, left: hash };
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) {
      if (before === undefined) return undefined;
      writeContent(place, before.content, before.mode);
      const nothing = new Uint8Array();
      const item: HeldItem = {
        ...common,
        change: "removed",
        kind: "nothing",
        mode: 0,
        bytes: 0,
        sha256: hashOf(nothing),
      };
      store.add(item, nothing);
      return item;
    }
    renameSync(place, aside);
    const { content, mode } = readSnapshot(aside, lstatSync(aside));
    const item: HeldItem = {
      ...common,
      change,
      mode,
      ...describeContent(content, join(dirname(path), basename(aside))),
    };
    store.add(item, bytesOf(content));
    if (left !== undefined) writeContent(place, left, before?.mode ?? 0o644);
    if (content.kind !== "other") unlinkSync(aside);
    return item;
  });
}

/** Write a content to a path that does not exist. */
export function writeContent(place: string, content: PathContent, mode: number): void {
  if (content.kind === "link") symlinkSync(content.target, place);
  // A content that was too large to store cannot be restored; the item says so.
  if (content.kind === "file") writeFileSync(place, content.bytes, { flag: "wx", mode: mode & 0o777 });
}

/** Remove folders that a held back change leaves empty, up to one that must stay. */
export function removeEmpty(folder: string, mustStay: (folder: string) => boolean): void {
  for (let at = folder; !mustStay(at); at = dirname(at)) {
    const isGone = withFolder(dirname(at), (parent) => {
      try {
        rmdirSync(join(parent, basename(at)));
        return true;
      } catch {
        return false; // something else is in it
      }
    });
    if (isGone !== true) return;
  }
}

/** The hash of a content, by which a later change of it is noticed. */
export function hashContent(content: PathContent): string {
  return content.kind === "other" ? "other" : hashOf(bytesOf(content));
}

function describeContent(
  content: PathContent,
  aside: string,
): Pick<HeldItem, "kind" | "bytes" | "sha256" | "asideAs"> {
  const bytes = bytesOf(content);
  const common = { bytes: bytes.length, sha256: hashContent(content) };
  return content.kind === "other"
    ? { ...common, kind: "in-place", asideAs: aside }
    : { ...common, kind: content.kind };
}

function bytesOf(content: PathContent): Uint8Array {
  if (content.kind === "file") return content.bytes;
  return content.kind === "link" ? Buffer.from(content.target) : new Uint8Array();
}
