import { lstatSync, renameSync, unlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { ToolExecutionError, ToolResourceNotFoundError } from "../../../contract/errors.js";
import type { HeldItem, HeldView, Quarantine } from "../../../contract/ports/quarantine.js";
import { unifiedDiff } from "../../../text/unified-diff.js";
import { isWithin } from "../../files/path-text.js";
import { createHeldStore, hashOf, type HeldLimits, type HeldStore } from "./held-store.js";
import type { PathContent } from "./judge-change.js";
import { readSnapshot } from "./snapshots.js";
import { hashContent, writeContent } from "./quarantine-path.js";
import { withFolder } from "./with-folder.js";
import { makeFolder } from "../../../contract/make-folder.js";

export interface HeldChangesOptions {
  /** A folder that commands cannot access. */
  readonly dir: string;
  /** Real path. */
  readonly workspace: string;
  readonly limits: HeldLimits;
  readonly now: () => number;
}

/** The held back changes, and how to restore them. */
export interface HeldChanges extends Quarantine {
  readonly store: HeldStore;
  /** A path as shown to people. */
  showPath(path: string): string;
  /** Listen for paths that were restored with consent. */
  onRestored(listener: (path: string) => void): void;
}

/** Open the held back changes of a workspace. */
export function createHeldChanges({ dir, workspace, limits, now }: HeldChangesOptions): HeldChanges {
  const store = createHeldStore(dir, limits, now);
  const listeners: ((path: string) => void)[] = [];
  const showPath = (path: string): string => (isWithin(path, workspace) ? relative(workspace, path) : path);
  const find = (ids: readonly string[]): HeldItem[] => {
    const items = new Map(store.list().map((item) => [item.id, item]));
    return [...new Set(ids)].map((id) => items.get(id) ?? notHeld(id));
  };
  return {
    store,
    showPath,
    onRestored: (listener) => void listeners.push(listener),
    list: async ({ callId } = {}) =>
      store.list().filter((item) => callId === undefined || item.callId === callId),
    async show(id) {
      const [item] = find([id]);
      return toHeldView(item!, store.read(item!.id), showPath);
    },
    async restore(ids) {
      const items = find(ids);
      // All are checked before the first is moved.
      const contents = items.map((item) => checkedContent(item, store, showPath));
      for (const [at, item] of items.entries()) {
        restoreItem(item, contents[at]!);
        for (const tell of listeners) tell(item.path);
        store.remove(item.id);
      }
      return items;
    },
    async discard(ids) {
      const items = find(ids);
      for (const { id } of items) store.remove(id);
      return items;
    },
  };
}

function notHeld(id: string): never {
  throw new ToolResourceNotFoundError(`Held back change "${id.slice(0, 64)}" not found.`, {
    hint: "It may have been restored, discarded or removed because of its age. Run `tenon quarantine list` to see what is held back.",
  });
}

function toHeldView(item: HeldItem, bytes: Uint8Array, showPath: (path: string) => string): HeldView {
  const text = asText(bytes);
  const current = contentAt(item.path);
  const present =
    current?.kind === "file" ? asText(current.bytes) : current?.kind === "link" ? current.target : undefined;
  const shownPath = showPath(item.path);
  const diff = unifiedDiff({
    before: present ?? "",
    after: item.kind === "nothing" ? "" : (text ?? `(${item.bytes} bytes that are not text)\n`),
    oldPath: current === undefined ? null : shownPath,
    newPath: item.kind === "nothing" ? null : shownPath,
    // Everything that a person consents to is shown.
    maxChars: 50_000_000,
  });
  return { ...item, shownPath, text, present, diff };
}

/** The content, if it is the one that was stored and the path has not changed since. */
function checkedContent(item: HeldItem, store: HeldStore, showPath: (path: string) => string): PathContent {
  const bytes = store.read(item.id);
  const shown = showPath(item.path);
  if (item.kind !== "in-place" && hashOf(bytes) !== item.sha256) {
    throw conflict(
      `The stored change of ${shown} has been modified, so it is not restored.`,
      "Discard it and run the command again.",
    );
  }
  const current = contentAt(item.path);
  const hash = current === undefined ? null : hashContent(current);
  if (hash !== item.left) {
    throw conflict(
      `${shown} has changed since the change was held back, so it is not restored.`,
      "Compare both with `tenon quarantine show`, then discard the change or move the other file away.",
    );
  }
  if (item.kind === "link") return { kind: "link", target: Buffer.from(bytes).toString("utf8") };
  return item.kind === "file" ? { kind: "file", bytes } : { kind: "other" };
}

function restoreItem(item: HeldItem, content: PathContent): void {
  const parent = dirname(item.path);
  makeFolder(parent);
  const isDone = withFolder(parent, (folder) => {
    const place = join(folder, basename(item.path));
    if (item.kind === "nothing") unlinkSync(place);
    else if (item.asideAs !== undefined) renameSync(join(folder, basename(item.asideAs)), place);
    else {
      const fresh = `${place.slice(0, folder.length + 200)}.${item.id}`;
      writeContent(fresh, content, item.mode);
      renameSync(fresh, place);
    }
    return true;
  });
  if (isDone !== true) {
    throw conflict(
      `${basename(item.path)} cannot be restored in the folder ${parent}.`,
      "The path contains a symbolic link; remove it first.",
    );
  }
}

function conflict(message: string, hint: string): ToolExecutionError {
  return new ToolExecutionError(message, { code: "FILE_CONFLICT", hint });
}

function contentAt(path: string): PathContent | undefined {
  return withFolder(dirname(path), (folder) => {
    const place = join(folder, basename(path));
    const stats = lstatSync(place, { throwIfNoEntry: false });
    return stats && readSnapshot(place, stats).content;
  });
}

function asText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined; // not UTF-8
  }
}
