import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import manifest from "../../../package.json" with { type: "json" };
import { type ToolError, toolErrorByCode } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";
import { withinTime } from "../../contract/system-clock.js";
import { createIds } from "../../runtime/calls/ids.js";
import { pack, unpack } from "../bus/carry.js";
import { fleetAway, workspaceAway } from "../bus/fleet-error.js";
import type { Bus } from "../bus/open-bus.js";
import { Roster } from "../bus/roster.js";
import { sign } from "../bus/signed.js";
import type { FrontKey } from "../keys.js";
import {
  answerSchema,
  protocolVersion,
  renewEveryMs,
  speaksVersion,
  takenSchema,
  type AskMessage,
  type Member,
  type TakenCall,
} from "../protocol.js";
import { FrontCalls } from "./front-calls.js";

export interface FrontOptions {
  readonly bus: Bus;
  readonly key: FrontKey;
  readonly onFault: (cause: unknown) => void;
  /** Where its console is, and when somebody last looked at it. */
  readonly console?: (() => { readonly url: string; readonly pageSeenMsAgo: number }) | undefined;
  /** It joins for the time of one command, so that nobody needs to know of it. */
  readonly isPassing?: boolean | undefined;
  /** Of the protocol. @default this program's */
  readonly version?: number | undefined;
  /** The limit of lists and pages, in ms. @default 15000 */
  readonly listMs?: number | undefined;
}

/** Where the folder of a workspace comes from, and which worker may have it. */
export interface Wanted {
  readonly source?: AskMessage["source"];
  readonly labels?: readonly string[] | undefined;
}

/** How long a person waits for a list or a page, with the way to a worker. */
const defaultListMs = 15_000;
/** How long what a worker has to do first may take: an answer of an MCP server, an undo, the end of calls that run. */
const askMs = 60_000;
/** How long a worker may take to say whether it has a call whose time is over. */
const takenMs = 600;
const lookEveryMs = 250;

/** A front of a fleet: it finds the worker of a workspace and asks it. It keeps nothing that another front needs. */
export class Front {
  readonly id = `f${randomBytes(8).toString("hex")}`;
  readonly roster: Roster;
  readonly calls: FrontCalls;
  readonly newCallId = createIds("call");
  readonly #options: FrontOptions;
  readonly #placing = new Map<string, Promise<string>>();
  /** The worker that is asked to open a workspace now. */
  readonly #claiming = new Map<string, string>();
  readonly #wanted = new Map<string, Wanted>();
  readonly #presence: NodeJS.Timeout | undefined;

  static async open(options: FrontOptions): Promise<Front> {
    const front = new Front(options);
    await front.roster.open();
    if (options.isPassing !== true) await front.announce();
    return front;
  }

  private constructor(options: FrontOptions) {
    const { bus, key, onFault, version, isPassing } = options;
    this.#options = options;
    this.roster = new Roster(bus, onFault);
    this.calls = new FrontCalls({
      bus,
      roster: this.roster,
      key,
      id: this.id,
      place: (workspace) => this.place(workspace),
      taken: (worker, workspace, args) => this.#taken(worker, workspace, args),
      version,
      onFault,
    });
    const announce = (): void => void this.announce().catch(onFault);
    this.#presence = isPassing === true ? undefined : setInterval(announce, renewEveryMs).unref();
  }

  /** How long a list or a page may take. */
  get listMs(): number {
    return this.#options.listMs ?? defaultListMs;
  }

  get bus(): Bus {
    return this.#options.bus;
  }

  /** Remember how a workspace is made, should it not be there. */
  want(workspace: string, wanted: Wanted): void {
    this.#wanted.set(workspace, wanted);
    const [oldest] = this.#wanted.keys();
    if (this.#wanted.size > maxWanted && oldest !== undefined) this.#wanted.delete(oldest);
  }

  /** The worker that owns a workspace; where none does, one that can is asked to. */
  async place(workspace: string): Promise<string> {
    const owner = this.roster.ownerOf(workspace);
    if (owner !== undefined && !this.#isLeft(workspace, owner)) return owner;
    let placing = this.#placing.get(workspace);
    if (placing === undefined) {
      placing = this.#place(workspace).finally(() => {
        this.#placing.delete(workspace);
        this.#claiming.delete(workspace);
      });
      this.#placing.set(workspace, placing);
    }
    return placing;
  }

  /** Ask a worker something, and wait for its answer. */
  async ask(
    worker: string,
    {
      timeoutMs = askMs,
      ...ask
    }: Omit<AskMessage, "tenant" | "issuedAt" | "id" | "front"> & { readonly timeoutMs?: number },
  ): Promise<unknown> {
    const { bus } = this.#options;
    if (!bus.isOnline()) throw fleetAway("NATS cannot be reached.");
    const issuedAt = this.roster.clock.now();
    const body: AskMessage = { ...ask, tenant: bus.tenant, issuedAt, id: randomUUID(), front: this.id };
    const subject = bus.names.worker(worker, ask.verb);
    const payload = await pack(bus, body);
    const headers = sign(this.#options, subject, payload);
    const asking = bus.connection.request(subject, payload, { timeout: timeoutMs, headers });
    const reply = await this.#whileAlive(worker, asking).catch((cause: unknown) => {
      const isLate = (Object(cause) as { name?: unknown }).name === "TimeoutError";
      throw fleetAway(`Worker ${worker} does not answer${isLate ? " in time" : `: ${messageOf(cause)}`}.`);
    });
    const { value, error } = answerSchema.parse(await unpack(bus, reply.data));
    if (error === undefined) return value;
    const { code, message, hint } = error;
    if (code === "WORKSPACE_UNAVAILABLE" || code === "FLEET_UNAVAILABLE")
      throw workspaceAway(message, hint ?? "");
    throw toolErrorByCode(error);
  }

  /** Ask the owner of a workspace. The limit is for all of it: finding a worker and its answer. */
  async askOwner(
    workspace: string,
    { timeoutMs = askMs, ...ask }: Omit<Parameters<Front["ask"]>[1], "workspace">,
  ): Promise<unknown> {
    const endsAt = performance.now() + timeoutMs;
    const owner = await withinTime(
      () => this.place(workspace),
      timeoutMs,
      () => this.#notOpened(workspace, timeoutMs),
    );
    const left = Math.max(1, Math.ceil(endsAt - performance.now()));
    return this.ask(owner, { ...ask, workspace, timeoutMs: left });
  }

  /** Tell the fleet that it is there, and where its console is. */
  async announce(): Promise<void> {
    const { bus, console: reach, version = protocolVersion } = this.#options;
    if (!bus.isOnline()) return;
    const seen = reach?.();
    const member: Member = {
      kind: "front",
      id: this.id,
      incarnation: this.id,
      protocol: version,
      version: manifest.version,
      host: hostname(),
      ...(seen !== undefined && {
        url: seen.url,
        pageSeenAt: Math.max(0, this.roster.clock.now() - seen.pageSeenMsAgo),
      }),
    };
    await bus.members.put(this.id, JSON.stringify(member));
  }

  async close(): Promise<void> {
    clearInterval(this.#presence);
    this.calls.close();
    this.roster.close();
    if (this.#options.isPassing === true || !this.bus.isOnline()) return;
    await this.bus.members.delete(this.id).catch(this.#options.onFault);
  }

  async #taken(worker: string, workspace: string, args: readonly string[]): Promise<TakenCall | boolean> {
    return takenSchema.parse(
      await this.ask(worker, { verb: "taken", workspace, args: [...args], timeoutMs: takenMs }),
    );
  }

  /** Nobody answers for a worker that died, or whose answer was lost with the connection. */
  async #whileAlive<T>(worker: string, asking: Promise<T>): Promise<T> {
    const incarnation = this.roster.members.get(worker)?.value.incarnation;
    let timer: NodeJS.Timeout | undefined;
    const gone = new Promise<never>((_resolve, reject) => {
      timer = setInterval(() => {
        if (!this.bus.isOnline()) reject(new Error("the connection to NATS was lost"));
        else if (!this.roster.isAlive(worker, incarnation)) reject(new Error("it is gone"));
      }, lookEveryMs);
    });
    try {
      return await Promise.race([asking, gone]);
    } finally {
      clearInterval(timer);
      asking.catch(() => {}); // its failure was told already
    }
  }

  /** Its owner drains, and no other can have it: what is sent now would wait for nobody. */
  #isLeft(workspace: string, owner: string): boolean {
    const { members, workspaces } = this.roster;
    return workspaces.get(workspace)?.value.home === owner && members.get(owner)?.value.draining === true;
  }

  async #place(workspace: string): Promise<string> {
    const faults: unknown[] = [];
    for (const { id } of this.#candidates(workspace)) {
      try {
        const wanted = this.#wanted.get(workspace);
        this.#claiming.set(workspace, id);
        await this.ask(id, {
          verb: "claim",
          workspace,
          ...(wanted?.source !== undefined && { source: wanted.source }),
        });
        return id;
      } catch (cause) {
        faults.push(cause);
        const owner = this.roster.ownerOf(workspace);
        if (owner !== undefined) return owner; // another front was faster
      }
    }
    throw faults.at(-1) ?? this.#nobody(workspace);
  }

  /** The workers that can have a workspace, those with the most free slots first. */
  #candidates(workspace: string): readonly Member[] {
    const { version = protocolVersion } = this.#options;
    const entry = this.roster.workspaces.get(workspace)?.value;
    const labels = this.#wanted.get(workspace)?.labels ?? [];
    const fits = ({ id, labels: own = [], draining, protocol }: Member): boolean => {
      if (draining === true || !speaksVersion(protocol, version)) return false;
      if (entry?.home !== undefined) return entry.home === id;
      if (entry?.volume !== undefined) return own.includes(`volume=${entry.volume}`);
      return labels.every((label) => own.includes(label));
    };
    const free = ({ slots = 0, running = 0 }: Member): number => slots - running;
    return this.roster
      .workers()
      .filter(fits)
      .sort((one, other) => free(other) - free(one))
      .slice(0, 3);
  }

  #notOpened(workspace: string, limitMs: number): ToolError {
    const worker = this.#claiming.get(workspace) ?? "";
    return workspaceAway(
      `Worker ${worker} did not open the workspace "${workspace}" within ${limitMs / 1000} s.`,
      "It may still do so: try again in a while, or see `tenon fleet status`.",
    );
  }

  #nobody(workspace: string): ToolError {
    const entry = this.roster.workspaces.get(workspace)?.value;
    if (entry?.home !== undefined) {
      const why = this.roster.isAlive(entry.home) ? "takes no more calls" : "is not there";
      return workspaceAway(
        `The workspace "${workspace}" waits for its worker ${entry.home}, which ${why}.`,
        "Start that worker again: the files are on its disk.",
      );
    }
    if (entry?.volume !== undefined)
      return workspaceAway(
        `No worker with the volume ${entry.volume} is running.`,
        "Start one with that label.",
      );
    return workspaceAway(
      `No worker can take the workspace "${workspace}".`,
      "Start one: tenon worker --fleet nats://… --workspaces DIR",
    );
  }
}

const maxWanted = 10_000;
