import { leaseMs, type Member, type WorkspaceEntry } from "../protocol.js";
import type { Bucket } from "./bucket.js";

export interface LeaseOptions {
  readonly members: Bucket<Member>;
  /** A steady clock of this machine, which may be fast or slow compared with others' wall clocks. */
  readonly monotonic: () => number;
}

/**
 * A member's lease: one entry that it renews by compare-and-set. All workspaces of a worker hang on it, so that a
 * thousand of them cost one message a second. It counts from before a renewal was sent; others count from when the
 * server wrote it, which is later, so that nobody takes over before the owner itself has given up.
 */
export class Lease {
  readonly #options: LeaseOptions;
  #member: Member;
  #revision = 0;
  #validUntil = -Infinity;

  constructor(member: Member, options: LeaseOptions) {
    this.#member = member;
    this.#options = options;
  }

  get member(): Member {
    return this.#member;
  }

  /** Whether it holds now, by this machine's steady clock. */
  isHeld(): boolean {
    return this.#options.monotonic() < this.#validUntil;
  }

  /** Begin where no other is alive under the same id. @param now The server's time. */
  async begin(now: () => number): Promise<boolean> {
    const { members, monotonic } = this.#options;
    const before = await members.get(this.#member.id);
    const isOther = before !== undefined && before.value.incarnation !== this.#member.incarnation;
    if (isOther && before.value.fenced !== true && now() - before.writtenAt <= leaseMs) return false;
    return this.#write(before?.revision ?? 0, monotonic());
  }

  /** Renew it, with what has changed; `false` where another has fenced it. Throws where the server is not reached. */
  async renew(facts: Partial<Member> = {}): Promise<boolean> {
    this.#member = { ...this.#member, ...facts };
    const sentAt = this.#options.monotonic();
    if (await this.#write(this.#revision, sentAt)) return true;
    // An earlier renewal whose answer was lost may have been written after all.
    const { id, incarnation } = this.#member;
    const current = await this.#options.members.get(id);
    if (current === undefined || current.value.incarnation !== incarnation || current.value.fenced === true)
      return false;
    return this.#write(current.revision, sentAt);
  }

  async #write(revision: number, sentAt: number): Promise<boolean> {
    const written = await this.#options.members.swap(this.#member.id, this.#member, revision);
    if (written === undefined) return false;
    this.#revision = written;
    this.#validUntil = sentAt + leaseMs;
    return true;
  }
}

export interface ClaimOptions {
  readonly members: Bucket<Member>;
  readonly workspaces: Bucket<WorkspaceEntry>;
  /** The server's time. */
  readonly now: () => number;
}

/** Who wants a workspace: a worker, and where its workspaces lie. */
export interface Claimant {
  readonly id: string;
  readonly incarnation: string;
  /** A volume that others can take over from; else its own disk. */
  readonly volume?: string | undefined;
}

export type Claim =
  | {
      readonly state: "owned";
      readonly epoch: number;
      readonly tookOver: boolean;
      readonly entry: WorkspaceEntry;
    }
  | { readonly state: "taken"; readonly by: string }
  /** It lies on a disk that this worker does not have. */
  | { readonly state: "elsewhere"; readonly home?: string | undefined; readonly volume?: string | undefined };

/**
 * Take a workspace that nobody owns, or whose owner's lease is over. Each claim has a higher epoch than all before:
 * the number counts on, and is at least the server's time, so that it grows even where the bucket was lost.
 */
export async function claimWorkspace(
  { members, workspaces, now }: ClaimOptions,
  name: string,
  self: Claimant,
): Promise<Claim> {
  const current = await workspaces.get(name);
  const before = current?.value;
  if (before?.worker === self.id && before.incarnation === self.incarnation)
    return { state: "owned", epoch: before.epoch, tookOver: false, entry: before };
  const { home, volume } =
    before ?? (self.volume === undefined ? { home: self.id } : { volume: self.volume });
  const fits = volume === undefined ? home === self.id : volume === self.volume;
  if (!fits) return { state: "elsewhere", home, volume };
  const isAbandoned = before !== undefined && before.worker !== "";
  if (isAbandoned && !(await fence(members, before, now))) return { state: "taken", by: before.worker };
  const entry = nextEntry(before, self, { now: now(), isAbandoned });
  const written = await workspaces.swap(name, entry, current?.revision ?? 0);
  if (written !== undefined) return { state: "owned", epoch: entry.epoch, tookOver: isAbandoned, entry };
  return { state: "taken", by: (await workspaces.get(name))?.value.worker ?? "" };
}

/** The entry of the new owner. */
function nextEntry(
  before: WorkspaceEntry | undefined,
  { id, incarnation, volume }: Claimant,
  { now, isAbandoned }: { readonly now: number; readonly isAbandoned: boolean },
): WorkspaceEntry {
  const place = volume === undefined ? { home: id } : { volume };
  const tookOver = isAbandoned && before?.worker !== id ? 1 : 0;
  return {
    ...place,
    ...before,
    worker: id,
    incarnation,
    epoch: Math.max((before?.epoch ?? 0) + 1, Math.floor(now)),
    takeovers: (before?.takeovers ?? 0) + tookOver,
  };
}

/** Make sure that an owner whose lease is over cannot renew it any more; `false` where it lives. */
async function fence(
  members: Bucket<Member>,
  { worker, incarnation }: WorkspaceEntry,
  now: () => number,
): Promise<boolean> {
  const owner = await members.get(worker);
  if (owner === undefined || owner.value.incarnation !== incarnation || owner.value.fenced === true)
    return true;
  if (now() - owner.writtenAt <= leaseMs) return false;
  return (await members.swap(worker, { ...owner.value, fenced: true }, owner.revision)) !== undefined;
}

/** Give a workspace back, if it is still one's own. */
export async function releaseWorkspace(
  workspaces: Bucket<WorkspaceEntry>,
  name: string,
  self: Claimant,
): Promise<void> {
  const current = await workspaces.get(name);
  if (current === undefined) return;
  if (current.value.worker !== self.id || current.value.incarnation !== self.incarnation) return;
  await workspaces.swap(name, { ...current.value, worker: "", incarnation: "" }, current.revision);
}
