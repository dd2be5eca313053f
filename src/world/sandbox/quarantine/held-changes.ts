import { lstatSync, mkdirSync, renameSync, unlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { ToolExecutionError, ToolResourceNotFoundError } from "../../../contract/errors.js";
import type { HeldItem, HeldView, Quarantine } from "../../../contract/ports/quarantine.js";
import { unifiedDiff } from "../../../text/unified-diff.js";
import { isWithin } from "../../files/path-text.js";
import { createHeldStore, hashOf, type HeldLimits, type HeldStore } from "./held-store.js";
import type { PathContent } from "./judge-change.js";
import { readOne } from "./snapshots.js";
import { hashContent, putAt } from "./take-aside.js";
import { withFolder } from "./with-folder.js";

export interface HeldChangesOptions {
  /** Folder of its own, out of the reach of commands. */
  readonly dir: string;
  /** Real path. */
  readonly workspace: string;
  readonly limits: HeldLimits;
  readonly now: () => number;
}

/** What was held back, and the way back for it. */
export interface HeldChanges extends Quarantine {
  readonly store: HeldStore;
  /** As people are shown it. */
  showPath(path: string): string;
  /** Be told of what was put back by consent. */
  onRestored(listener: (path: string) => void): void;
}

/** Open what was held back from the commands of a workspace. */
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
      return viewOf(item!, store.read(item!.id), showPath);
    },
    async restore(ids) {
      const items = find(ids);
      // All are checked before the first is moved.
      const contents = items.map((item) => checked(item, store, showPath));
      for (const [at, item] of items.entries()) {
        put(item, contents[at]!);
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
    hint: "It may have been given back, discarded or removed for its age; tenon quarantine list shows what there is.",
  });
}

function viewOf(item: HeldItem, bytes: Uint8Array, showPath: (path: string) => string): HeldView {
  const text = asText(bytes);
  const there = contentAt(item.path);
  const present =
    there?.kind === "file" ? asText(there.bytes) : there?.kind === "link" ? there.target : undefined;
  const shownPath = showPath(item.path);
  const diff = unifiedDiff({
    before: present ?? "",
    after: item.kind === "nothing" ? "" : (text ?? `(${item.bytes} bytes that are not text)\n`),
    oldPath: there === undefined ? null : shownPath,
    newPath: item.kind === "nothing" ? null : shownPath,
    // What a person consents to is shown whole.
    maxChars: 50_000_000,
  });
  return { ...item, shownPath, text, present, diff };
}

/** The content, where it is the one that was kept and its place is as it was left. */
function checked(item: HeldItem, store: HeldStore, showPath: (path: string) => string): PathContent {
  const bytes = store.read(item.id);
  const shown = showPath(item.path);
  if (item.kind !== "in-place" && hashOf(bytes) !== item.sha256) {
    throw conflict(
      `What was held back of ${shown} has been changed since; it is not given back.`,
      "Discard it and run the command again.",
    );
  }
  const there = contentAt(item.path);
  const hash = there === undefined ? null : hashContent(there);
  if (hash !== item.left) {
    throw conflict(
      `Something else lies at ${shown} by now, so what was held back is not given back.`,
      "Look at both with tenon quarantine show, then discard it or move the other away.",
    );
  }
  if (item.kind === "link") return { kind: "link", target: Buffer.from(bytes).toString("utf8") };
  return item.kind === "file" ? { kind: "file", bytes } : { kind: "other" };
}

function put(item: HeldItem, content: PathContent): void {
  const parent = dirname(item.path);
  mkdirSync(parent, { recursive: true });
  const isDone = withFolder(parent, (folder) => {
    const place = join(folder, basename(item.path));
    if (item.kind === "nothing") unlinkSync(place);
    else if (item.asideAs !== undefined) renameSync(join(folder, basename(item.asideAs)), place);
    else {
      const fresh = `${place.slice(0, folder.length + 200)}.${item.id}`;
      putAt(fresh, content, item.mode);
      renameSync(fresh, place);
    }
    return true;
  });
  if (isDone !== true) {
    throw conflict(
      `The folder ${parent} cannot be used to give ${basename(item.path)} back.`,
      "A link lies on the way to it; move it away first.",
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
    return stats && readOne(place, stats).content;
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
