import { rm } from "node:fs/promises";
import { withinTime } from "../../contract/system-clock.js";
import type { HostSession } from "../../contract/host.js";
import type { ConsoleReach } from "../../contract/ports/approval.js";
import { createMcpHost } from "../../runtime/mcp-host/create-mcp-host.js";
import type { Tenon } from "../../runtime/tenon.js";
import type { OwnedState, Ownership } from "../../store/ownership.js";
import { createConsoleAccess } from "../../server/console-access.js";
import { createConsolePerson, type ConsolePerson } from "../../server/console-person.js";
import { createApp } from "../../server/create-app.js";
import { followTenon, type FollowedTenon } from "../../server/follow-tenon.js";
import type { Admission } from "../../server/gate.js";
import type { ServerMachine } from "../../server/manage-api.js";
import { createConsoleFiles } from "../../server/static-files.js";
import { createIds } from "../../runtime/calls/ids.js";
import type { Bus } from "../bus/open-bus.js";
import type { TrustedFronts } from "../keys.js";
import type { AskMessage, SessionFacts } from "../protocol.js";
import { CallQueue } from "./call-queue.js";
import type { CallSlots } from "./call-slots.js";
import { callExchange } from "./call-exchange.js";
import { toAgain } from "./call-outcomes.js";
import { WorkerCalls } from "./worker-calls.js";
import { WorkerSessions } from "./worker-sessions.js";

/** Opens the Tenon of a workspace, for people who are asked through the fronts. */
export type OpenTenon = (
  folder: string,
  options: { readonly ownership: Ownership; readonly interact: ConsolePerson },
) => Tenon | Promise<Tenon>;

export interface OwnedWorkspaceOptions {
  readonly bus: Bus;
  readonly fronts: TrustedFronts;
  readonly worker: string;
  readonly name: string;
  readonly folder: string;
  readonly epoch: number;
  readonly openTenon: OpenTenon;
  readonly slots: CallSlots;
  /** What the program that started the worker knows of the machine. */
  readonly machineOf?: ((tenon: Tenon) => ServerMachine) | undefined;
  readonly now: () => number;
  /** Where people can be asked: the console of a front, and when somebody last looked at it. */
  readonly console: () => ConsoleReach | undefined;
  readonly version?: number | undefined;
  /** The database is not the one that this owner has written to any more. */
  readonly onLost: (owned: OwnedWorkspace, cause: unknown) => void;
  readonly onFault: (cause: unknown) => void;
}

export interface EndedSession {
  readonly reason?: string | undefined;
  /** The front that lets it go, where its host has not ended it. */
  readonly leaving?: string | undefined;
}

interface OpenedParts {
  readonly person: ConsolePerson;
  readonly state: () => OwnedState | undefined;
}

const graceMs = 30_000;
const noteEveryMs = 5000;

/** A workspace that this worker owns: a whole Tenon, and the queue of its calls. */
export class OwnedWorkspace {
  readonly name: string;
  readonly epoch: number;
  readonly tenon: Tenon;
  readonly calls: WorkerCalls;
  readonly #options: OwnedWorkspaceOptions;
  readonly #sessions: WorkerSessions;
  readonly #queue: CallQueue;
  readonly #person: ConsolePerson;
  readonly #followed: FollowedTenon;
  readonly #answer: ReturnType<typeof createApp>;
  readonly #stopEvents: () => void;
  readonly #state: () => OwnedState | undefined;
  readonly #noting: NodeJS.Timeout;
  #isNoting = false;
  #closing: Promise<void> | undefined;

  /** The journal recovers before the first call is taken. */
  static async open(options: OwnedWorkspaceOptions): Promise<OwnedWorkspace> {
    const { bus, name, epoch, folder } = options;
    const person = createConsolePerson({ now: Date.now, newId: createIds("question") });
    let state: OwnedState | undefined;
    const ownership: Ownership = {
      name: `fleet:${bus.tenant}/${name}`,
      epoch,
      onOpen: (opened) => (state = opened),
    };
    const tenon = await options.openTenon(folder, { ownership, interact: person });
    let owned: OwnedWorkspace | undefined;
    try {
      await tenon.ready();
      // It may have been opened by now, or be opened by the first call.
      owned = new OwnedWorkspace(options, { tenon, person, state: () => state });
      await owned.#queue.open();
      return owned;
    } catch (cause) {
      if (owned !== undefined) clearInterval(owned.#noting);
      await tenon.close({ graceMs: 0 });
      throw cause;
    }
  }

  private constructor(
    options: OwnedWorkspaceOptions,
    { tenon, person, state }: Pick<OwnedWorkspace, "tenon"> & OpenedParts,
  ) {
    const { bus, name, epoch, onFault } = options;
    this.#state = state;
    // One at a time: the end of one must not forget that the next may have been committed already.
    this.#noting = setInterval(() => void (this.#isNoting || this.#noteHead()), noteEveryMs);
    this.#noting.unref();
    this.name = name;
    this.epoch = epoch;
    this.tenon = tenon;
    this.#options = options;
    this.#person = person;
    const host = createMcpHost(tenon);
    this.#sessions = new WorkerSessions({
      host,
      exchangeOf: (call) => callExchange(bus, call),
      find: (callId) => this.calls.find(callId),
      onFault,
    });
    this.#queue = new CallQueue({
      ...options,
      workspace: name,
      hasPast: async () => (await tenon.audit.head()).seq > 0,
      take: (message) => this.calls.take(message),
    });
    this.calls = new WorkerCalls({
      ...options,
      workspace: name,
      tenon,
      session: (call) => this.#sessions.of(call.session, { front: call.front, call }),
      isNew: (message) => this.#queue.isNew(message),
    });
    const access = createConsoleAccess({ now: Date.now });
    this.#followed = followTenon(tenon, {
      now: Date.now,
      access,
      boundPort: () => 0,
      person,
      workspace: options.folder,
      machine: options.machineOf?.(tenon),
      onFault,
    });
    // Requests wait on while NATS is away and no front is seen.
    let reach: ConsoleReach = { url: "", pageSeenAt: 0 };
    person.serve(() => (reach = options.console() ?? reach));
    this.#answer = createApp(this.#followed.served, {
      maxBody: maxBody,
      files: createConsoleFiles([]),
      onFault,
    });
    this.#stopEvents = this.#tellEvents(host.onChange.bind(host));
  }

  /** What waits for people here. */
  waiting(): { readonly approvals: readonly unknown[]; readonly questions: readonly unknown[] } {
    const own = { workspace: this.name };
    return {
      approvals: this.tenon.approvals.waiting().map((one) => ({ ...one, ...own })),
      questions: this.#person.questions().map((one) => ({ ...one, ...own })),
    };
  }

  session(facts: SessionFacts, front?: string): HostSession {
    return this.#sessions.of(facts, { front });
  }

  /** End a session, or only what one front has of it; `false` where it goes on at another. */
  async endSession(id: string, { reason, leaving }: EndedSession): Promise<boolean> {
    if (leaving !== undefined) return this.#sessions.leave(id, leaving, reason);
    await this.#sessions.end(id, reason);
    return true;
  }

  endIdle(): void {
    this.#sessions.endIdle();
  }

  /** Answer a request to the console's API, which the front has let in. */
  async answer(
    http: NonNullable<AskMessage["http"]>,
  ): Promise<{ status: number; headers: Record<string, string>; body: string }> {
    const { method, headers, admission } = http;
    const path = await this.#latest(http.path);
    const body = path === "/api/log/verify" ? await this.#withHead(http.body) : http.body;
    const request = new Request(`http://worker${path}`, {
      method,
      headers: { ...headers },
      ...(body !== undefined && { body }),
    });
    const admitted = admission as unknown as Admission;
    const response = await this.#answer(request, { admitted, base: "http://worker" });
    // Artifacts and exports may be anything, so bytes are carried as such.
    const bytes = Buffer.from(await response.arrayBuffer()).toString("base64");
    return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes };
  }

  /** A call that was made again after a takeover has its outcome under another id than its caller knows. */
  async #latest(path: string): Promise<string> {
    if (!/^\/api\/calls\/call_\w+$/.test(path)) return path;
    const again = toAgain(path.slice(path.lastIndexOf("/") + 1));
    const { audit } = this.tenon;
    const isKnown = (await audit.get(again)) ?? (await audit.started?.(again));
    return isKnown === undefined ? path : `/api/calls/${again}`;
  }

  /** The database keeps how far the log has come, so that it shows if its end is cut off. */
  async #noteHead(): Promise<void> {
    this.#isNoting = true;
    try {
      await this.#state()?.noteHead(await this.tenon.audit.head());
    } catch (cause) {
      this.#options.onFault(cause);
      if ((Object(cause) as { code?: unknown }).code === "STATE_BUSY") this.#options.onLost(this, cause);
    } finally {
      this.#isNoting = false;
    }
  }

  /** A log is verified against the head that the database has, unless another one is named. */
  async #withHead(body = "{}"): Promise<string> {
    const noted = await this.#state()?.notedHead();
    const given = JSON.parse(body) as object;
    return JSON.stringify({
      ...(noted !== undefined && { head: { seq: noted.seq, hash: noted.hash } }),
      ...given,
    });
  }

  /** The bus is there again: the queue may have to be made again. */
  reopen(): Promise<void> {
    return this.#queue.reopen();
  }

  /** Take no more calls, let those that run end, and close the Tenon. */
  close({
    reason,
    remove = false,
  }: { readonly reason?: string; readonly remove?: boolean } = {}): Promise<void> {
    this.#closing ??= this.#close(reason, remove);
    return this.#closing;
  }

  async #close(reason: string | undefined, remove: boolean): Promise<void> {
    clearInterval(this.#noting);
    if (reason === undefined) this.calls.stop();
    else this.calls.abort(reason);
    await this.#queue.close();
    const end = performance.now() + graceMs;
    while (this.calls.size > 0 && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 10));
    if (reason === undefined) await this.#noteHead();
    this.#stopEvents();
    this.#person.leave();
    await this.#sessions.close();
    await this.#followed.stop();
    await withinTime(
      () => this.tenon.close({ graceMs: reason === undefined ? 5000 : 1000 }),
      60_000,
      "closing",
    );
    if (remove) await rm(this.#options.folder, { recursive: true, force: true });
  }

  /** Fronts hear of what waits for people always, and of the rest while somebody looks. */
  #tellEvents(onChange: (listener: (change: object) => void) => () => void): () => void {
    const { bus, name } = this.#options;
    const tell = (body: object): void => {
      if (!bus.isOnline()) return;
      const text = JSON.stringify(body);
      if (text.length <= maxEventChars) bus.connection.publish(bus.names.events(name), text);
    };
    const stopChanges = onChange((change) => tell({ change }));
    const stop = this.tenon.onAny((event) => {
      const isForPeople = event.type.startsWith("APPROVAL_");
      const seenAt = isForPeople ? Infinity : (this.#options.console()?.pageSeenAt ?? 0);
      if (seenAt >= Date.now() - lookingMs) tell({ event, workspace: name });
    });
    return () => {
      stopChanges();
      stop();
    };
  }
}

const maxBody = 16 * 1024 * 1024;
const maxEventChars = 256 * 1024;
const lookingMs = 30_000;
