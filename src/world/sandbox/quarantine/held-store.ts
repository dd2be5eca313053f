import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { ignoring } from "../../../contract/errno.js";
import type { HeldItem } from "../../../contract/ports/quarantine.js";
import { makeFolder } from "../../../contract/make-folder.js";
import { once } from "../../../contract/once.js";

/** How much is stored, and for how long. */
export interface HeldLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** Held back changes on disk, inaccessible to commands. */
export interface HeldStore {
  /** Oldest first. */
  list(): HeldItem[];
  read(id: string): Uint8Array;
  add(item: HeldItem, content: Uint8Array): void;
  remove(id: string): void;
}

const heldItem = once(() =>
  z.object({
    id: z.string(),
    path: z.string(),
    callId: z.string(),
    sessionId: z.string(),
    at: z.number(),
    reason: z.string(),
    rule: z.string(),
    change: z.enum(["new", "changed", "removed"]),
    kind: z.enum(["file", "link", "in-place", "nothing"]),
    mode: z.number(),
    bytes: z.number(),
    sha256: z.string(),
    left: z.string().nullable(),
    asideAs: z.string().optional(),
  }),
);

/** Open the store; its folder is created when a change is first held back. */
export function createHeldStore(dir: string, limits: HeldLimits, now: () => number): HeldStore {
  const itemFile = (id: string): string => join(dir, id, "item.json");
  const list = (): HeldItem[] => {
    const items = namesIn(dir)
      .filter((name) => isHeldId(name))
      .flatMap((name) => readItem(itemFile(name)) ?? []);
    return items.toSorted((one, other) => one.at - other.at || one.id.localeCompare(other.id));
  };
  const remove = (id: string): void => {
    if (isHeldId(id)) rmSync(join(dir, id), { recursive: true, force: true });
  };
  return {
    list() {
      const [old, kept] = split(list(), ({ at }) => now() - at > limits.maxAgeMs);
      for (const { id } of old) remove(id);
      return kept;
    },
    read: (id) => readFileSync(join(dir, id, "content")),
    add(item, content) {
      makeFolder(join(dir, item.id), 0o700);
      writeFileSync(join(dir, item.id, "content"), content, { mode: 0o600 });
      // Written last, so that an item without its content is never listed.
      writeFileSync(itemFile(item.id), JSON.stringify(item), { mode: 0o600 });
      for (const { id } of overLimits(list(), limits, now())) if (id !== item.id) remove(id);
    },
    remove,
  };
}

/** Whether a text is a valid item id. */
export function isHeldId(text: string): boolean {
  return /^held_[a-f0-9]{16}$/.test(text);
}

/** The SHA-256 of a content. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The oldest items that exceed the limits; items are ordered by age. */
function overLimits(items: readonly HeldItem[], limits: HeldLimits, at: number): HeldItem[] {
  let bytes = items.reduce((sum, item) => sum + item.bytes, 0);
  let count = items.length;
  return items.filter((item) => {
    const isOver = at - item.at > limits.maxAgeMs || count > limits.maxItems || bytes > limits.maxBytes;
    if (isOver) [count, bytes] = [count - 1, bytes - item.bytes];
    return isOver;
  });
}

function readItem(file: string): HeldItem | undefined {
  try {
    return heldItem().parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined; // being written, or left incomplete by a crash
  }
}

/** The names in a folder; none if it does not exist. */
export function namesIn(folder: string): string[] {
  return ignoring("ENOENT", () => readdirSync(folder)) ?? [];
}

function split<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter((item) => test(item)), items.filter((item) => !test(item))];
}
