import type { KV } from "@nats-io/kv";
import { memberSchema, workspaceSchema, type Member, type WorkspaceEntry } from "../protocol.js";
import type { Bus } from "./open-bus.js";
import type { Kept } from "./roster.js";

/** A key-value bucket whose entries change only by compare-and-set. */
export interface Bucket<T> {
  get(key: string): Promise<Kept<T> | undefined>;
  /** Gives the new revision; `undefined` where the entry is not what it was. @param revision 0: there is none yet */
  swap(key: string, value: T, revision: number): Promise<number | undefined>;
}

/** A bucket of NATS. */
function toBucket<T>(kv: KV, parse: (value: unknown) => T): Bucket<T> {
  return {
    async get(key) {
      const entry = await kv.get(key);
      if (entry === null) return undefined;
      if (entry.operation !== "PUT") return undefined;
      return { value: parse(entry.json()), revision: entry.revision, writtenAt: entry.created.getTime() };
    },
    async swap(key, value, revision) {
      try {
        const text = JSON.stringify(value);
        return revision === 0 ? await kv.create(key, text) : await kv.update(key, text, revision, 2000);
      } catch (cause) {
        if (isConflict(cause)) return undefined;
        throw cause;
      }
    },
  };
}

export function membersOf({ members }: Pick<Bus, "members">): Bucket<Member> {
  return toBucket(members, (value) => memberSchema.parse(value));
}

export function workspacesOf({ workspaces }: Pick<Bus, "workspaces">): Bucket<WorkspaceEntry> {
  return toBucket(workspaces, (value) => workspaceSchema.parse(value));
}

const wrongLastSequence = 10_071;

function isConflict(cause: unknown): boolean {
  const { code, message } = Object(cause) as { code?: unknown; message?: unknown };
  return code === wrongLastSequence || /wrong last sequence|key exists/i.test(String(message));
}
