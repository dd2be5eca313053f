import { join } from "node:path";
import { messageOf } from "../../contract/message-of.js";
import { membersOf, workspacesOf, type Bucket } from "../bus/bucket.js";
import { workspaceAway } from "../bus/fleet-error.js";
import { claimWorkspace, Lease, releaseWorkspace, type Claimant } from "../bus/leases.js";
import { Roster } from "../bus/roster.js";
import { leaseMs, renewEveryMs, type AskMessage, type Member, type WorkspaceEntry } from "../protocol.js";
import { answerAsks } from "./answer-asks.js";
import { OwnedWorkspace, type EndedSession } from "./owned-workspace.js";
import { openSlots, sumOf, type CallSlots } from "./call-slots.js";
import { beginLease, checkQuota, hearCancels, isLostTo, newMember, seenConsole } from "./worker-facts.js";
import type { WorkerOptions } from "./worker-options.js";
import { announceFolders, isWorkspaceName, noteEnd, notOurs, restoreEntry } from "./workspace-entries.js";
import { isFolder, provideFolder } from "./workspace-folder.js";

const watchEveryMs = 250;
const sweepEveryMs = 60_000;

/** A worker: it owns workspaces and runs the calls in them. */
export class Worker {
  readonly roster: Roster;
  readonly owned = new Map<string, OwnedWorkspace>();
  readonly #options: WorkerOptions;
  readonly #opening = new Map<string, Promise<OwnedWorkspace>>();
  readonly #releasing = new Map<string, Promise<void>>();
  readonly #members: Bucket<Member>;
  readonly #workspaces: Bucket<WorkspaceEntry>;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #volume: string | undefined;
  readonly #slots: CallSlots;
  #lease: Lease;
  #onlineSince = performance.now();
  isDraining = false;
  #closed = false;
  #renewing = false;
  #losing: Promise<void> | undefined;
  #stopAnswering: () => void = () => {};

  static async open(options: WorkerOptions): Promise<Worker> {
    const worker = new Worker(options);
    await worker.#open();
    return worker;
  }

  private constructor(options: WorkerOptions) {
    const { bus, config, onFault } = options;
    this.#options = options;
    this.roster = new Roster(bus, onFault);
    [this.#members, this.#workspaces] = [membersOf(bus), workspacesOf(bus)];
    this.#volume = config.labels.find((label) => label.startsWith("volume="))?.slice("volume=".length);
    this.#lease = this.#newLease();
    this.#slots = openSlots(config, this.owned);
  }

  get id(): string {
    return this.#options.id;
  }

  /** Calls that run or wait here. */
  get running(): number {
    return sumOf(this.owned, ({ calls }) => calls.size);
  }

  /** Own a workspace: as already, or by a claim. */
  async own(name: string, source?: AskMessage["source"]): Promise<OwnedWorkspace> {
    const known = this.owned.get(name);
    if (known !== undefined) return known;
    // What is being given back has to be free before it can be claimed again.
    await this.#releasing.get(name);
    if (!this.#lease.isHeld()) await this.#renew(); // a busy machine may be late
    if (this.isDraining || !this.#lease.isHeld())
      throw workspaceAway("This worker takes no more workspaces.", "Another worker has to take it.");
    let opening = this.#opening.get(name);
    if (opening === undefined) {
      opening = this.#claim(name, source).finally(() => this.#opening.delete(name));
      this.#opening.set(name, opening);
    }
    return opening;
  }

  /** Give a workspace back, after its calls have ended. */
  async release(name: string, remove = false): Promise<void> {
    const owned = this.owned.get(name);
    if (owned === undefined) return;
    this.owned.delete(name);
    return this.#giveBack(owned, { remove });
  }

  /** End what runs there, so that the workspace is opened again, by this worker or another. */
  #giveUp(owned: OwnedWorkspace, cause: unknown): void {
    if (this.owned.get(owned.name) !== owned) return;
    this.owned.delete(owned.name);
    this.#giveBack(owned, { reason: messageOf(cause) }).catch(this.#options.onFault);
  }

  #giveBack(
    owned: OwnedWorkspace,
    how: { readonly remove?: boolean; readonly reason?: string },
  ): Promise<void> {
    const { name } = owned;
    const giveBack = async (): Promise<void> => {
      await owned.close(how);
      if (how.remove === true) await this.#options.bus.workspaces.delete(name);
      else await releaseWorkspace(this.#workspaces, name, this.#self);
    };
    const releasing = giveBack().finally(() => this.#releasing.delete(name));
    this.#releasing.set(
      name,
      releasing.catch(() => {}),
    );
    return releasing;
  }

  /** A session is over: a workspace that was made for it goes with it. */
  async endSession(name: string, id: string, how: EndedSession): Promise<void> {
    const isOver = await this.owned.get(name)?.endSession(id, how);
    if (isOver !== false && this.roster.workspaces.get(name)?.value.atEnd === "remove")
      await this.release(name, true);
  }

  /** Take no more, let what runs end, and hand the leases back. */
  async drain(): Promise<void> {
    this.isDraining = true;
    await this.#renew();
    await Promise.all([...this.owned.keys()].map((name) => this.release(name).catch(this.#options.onFault)));
  }

  async close(): Promise<void> {
    await this.drain();
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#slots.close();
    this.#stopAnswering();
    this.roster.close();
    if (this.#options.bus.isOnline())
      await this.#options.bus.members.delete(this.id).catch(this.#options.onFault);
  }

  get #self(): Claimant {
    const { id, incarnation } = this.#lease.member;
    return { id, incarnation, ...(this.#volume !== undefined && { volume: this.#volume }) };
  }

  #newLease(): Lease {
    return new Lease(newMember(this.#options), {
      members: this.#members,
      monotonic: () => performance.now(),
    });
  }

  async #open(): Promise<void> {
    const { bus, onFault } = this.#options;
    await this.roster.open();
    await beginLease(this.#lease, this.roster.clock);
    await announceFolders(this.#workspaces, this.#options.dir, this.#self);
    this.#stopAnswering = answerAsks(this, { ...this.#options, now: () => this.roster.clock.now() });
    const calls = () => [...this.owned.values()].map((owned) => owned.calls);
    const stops = [
      this.#stopAnswering,
      hearCancels(bus, { calls, onFault }),
      bus.onOnline(() => this.#returned()),
    ];
    this.#stopAnswering = () => stops.forEach((stop) => stop());
    this.#every(renewEveryMs, () => this.#tick());
    this.#every(watchEveryMs, () => this.#watch());
    this.#every(sweepEveryMs, async () => this.owned.forEach((owned) => owned.endIdle()));
  }

  #every(ms: number, work: () => Promise<void> | void): void {
    const { onFault } = this.#options;
    const timer = setInterval(() => void Promise.resolve(work()).catch(onFault), ms);
    this.#timers.push(timer);
  }

  async #claim(name: string, source: AskMessage["source"]): Promise<OwnedWorkspace> {
    const { config, dir, onFault } = this.#options;
    if (!isWorkspaceName(name))
      throw workspaceAway(`"${name}" is not a valid workspace name.`, "Use another name.");
    checkQuota(this.roster, config.quotas.workspaces, name);
    const now = (): number => this.roster.clock.now();
    if (this.roster.workspaces.get(name) === undefined || (await isFolder(join(dir, name))))
      await provideFolder(dir, name, { source, config });
    const claim = await claimWorkspace(
      { members: this.#members, workspaces: this.#workspaces, now },
      name,
      this.#self,
    );
    if (claim.state !== "owned") throw notOurs(name, claim);
    if (source?.atEnd !== undefined && claim.entry.atEnd !== source.atEnd)
      await noteEnd(this.#workspaces, name, source.atEnd);
    try {
      const folder = await provideFolder(dir, name, { config });
      const owned = await OwnedWorkspace.open({
        ...this.#options,
        worker: this.id,
        name,
        folder,
        epoch: claim.epoch,
        now,
        console: () => seenConsole(this.roster),
        slots: this.#slots,
        onLost: (lost, cause) => this.#giveUp(lost, cause),
      });
      if (this.#closed || this.isDraining || !this.#lease.isHeld()) {
        await owned.close({ reason: "The lease was lost." });
        throw workspaceAway(`This worker lost "${name}" while it opened it.`, "Try again.");
      }
      this.owned.set(name, owned);
      return owned;
    } catch (cause) {
      await releaseWorkspace(this.#workspaces, name, this.#self).catch(onFault);
      throw cause;
    }
  }

  #drop(owned: OwnedWorkspace, cause: unknown): void {
    const { onFault } = this.#options;
    onFault(cause);
    this.owned.delete(owned.name);
    owned.close({ reason: "This worker lost the workspace." }).catch(onFault);
  }

  async #tick(): Promise<void> {
    await this.#renew();
    for (const [name, owned] of this.owned)
      if (isLostTo(this.roster.workspaces.get(name)?.value, owned, this.id))
        this.#drop(owned, new Error(`"${name}" was lost.`));
    await this.#takeOver();
  }

  async #renew(): Promise<void> {
    const { bus, onFault } = this.#options;
    if (this.#renewing || !bus.isOnline() || this.#closed) return;
    this.#renewing = true;
    try {
      const held = await this.#lease.renew({ running: this.running, draining: this.isDraining });
      if (!held) await this.#lose("Another worker has taken over.");
    } catch (cause) {
      onFault(cause); // the next renewal may reach the server
    } finally {
      this.#renewing = false;
    }
  }

  /** On a shared volume others take over when the lease is over; on its own disk nobody can, so calls may end. */
  async #watch(): Promise<void> {
    if (this.#volume !== undefined && !this.#closed && !this.#lease.isHeld())
      await this.#lose("The lease has expired.");
  }

  /** Stop what runs, and begin again under another incarnation. */
  async #lose(reason: string): Promise<void> {
    if (this.#losing !== undefined) return this.#losing;
    const lost = [...this.owned.values()];
    this.owned.clear();
    this.#losing = (async () => {
      if (lost.length > 0) this.#options.onFault(new Error(`${reason} ${lost.length} workspaces are lost.`));
      await Promise.allSettled(
        lost.map((owned) => owned.close({ reason: `This worker lost the workspace: ${reason}` })),
      );
      if (this.#closed || !this.#options.bus.isOnline()) return;
      this.#lease = this.#newLease();
      await beginLease(this.#lease, this.roster.clock);
    })().finally(() => (this.#losing = undefined));
    return this.#losing;
  }

  /** Take the workspaces of workers on the same volume that are gone. */
  async #takeOver(): Promise<void> {
    const canTake = this.#volume !== undefined && !this.isDraining && this.#lease.isHeld();
    // After the bus was away, all leases look old; workers that live renew theirs first.
    if (!canTake || performance.now() - this.#onlineSince < leaseMs) return;
    for (const [name, { value }] of this.roster.workspaces) {
      const isGone = value.worker !== "" && !this.roster.isAlive(value.worker, value.incarnation);
      if (!isGone || value.volume !== this.#volume || this.owned.has(name)) continue;
      await this.own(name).catch((cause: unknown) => {
        if (!/is owned by/.test(messageOf(cause))) this.#options.onFault(cause);
      });
    }
  }

  async #returned(): Promise<void> {
    const { onFault } = this.#options;
    this.#onlineSince = performance.now();
    await this.#renew();
    if (!this.#lease.isHeld() && this.#losing === undefined)
      await this.#lose("The bus was unavailable.").catch(onFault);
    for (const owned of this.owned.values()) {
      await restoreEntry(this.#workspaces, owned, this.#self)
        .then(() => owned.reopen())
        .catch((cause: unknown) => this.#drop(owned, cause));
    }
  }
}
