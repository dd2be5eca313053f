import { waitAtMost } from "../../contract/system-clock.js";
import type { ProtocolEra, UpstreamCall } from "../../contract/ports/upstream.js";
import type { HealthVerdict } from "../../contract/tool.js";
import type { ServerConnection } from "../client/server-connection.js";
import { callerOf, capabilityKey, type Profile } from "./caller.js";
import { keyWith, tooMany, waitFor } from "./link-helpers.js";
import type { LinksOptions, LinkUse } from "./link-types.js";
import type { LinkState, ServerLink } from "./server-link.js";

interface Extra {
  readonly link: ServerLink;
  readonly profile: Profile;
  /** Whose it is, where each session has its own. */
  session: string | undefined;
  calls: number;
  idle: NodeJS.Timeout | undefined;
}

/** Connections of one server for hosts that declare different things. */
const maxExtra = 8;
const idleMs = 5 * 60_000;
/** The same where each session has its own, and may come back to what it left there. */
const maxSessions = 64;
const sessionIdleMs = 60 * 60_000;

/**
 * The connections to one server, in the era that each host speaks. A server of 2026 hears with each call what the host
 * can be asked, so one is enough. One of 2025 hears it once: hosts that declare the same share a connection, and others
 * have one of their own.
 */
export class ServerLinks {
  readonly primary: ServerLink;
  readonly #options: LinksOptions;
  readonly #extra = new Map<string, Extra>();
  #profile: Profile = {};
  /** The server speaks no other era. */
  #only: ProtocolEra | undefined;
  /** A call has used the primary connection, so that it keeps what it declared. */
  #claimed = false;
  /** The session that did, where each has its own. */
  #owner: string | undefined;
  /** The server asks for roots, which are a session's own. */
  #asksRoots = false;
  /** The primary connection while it is made again: calls that come meanwhile wait for it. */
  #reopening: Promise<ServerConnection> | undefined;

  constructor(options: LinksOptions) {
    this.#options = options;
    this.#only = options.era;
    this.primary = options.createLink(() => this.#profile, {
      primary: true,
      session: () =>
        this.#owner ?? (this.primary.connection === undefined ? this.#profile.session : undefined),
      keepFor: (session) => {
        this.#asksRoots = true;
        this.#claim(session);
      },
    });
  }

  /** The first connection will be made for a caller of this profile. */
  expect({ capabilities, era, session }: Profile): void {
    if (!this.#claimed && this.primary.state === "idle") this.#profile = { capabilities, era, session };
  }

  /** The same for one that is likely to come, where none has yet. */
  guess(profile: Profile): void {
    if (this.#profile.session === undefined) this.expect(profile);
  }

  /** The connection that lists what a host of this profile is offered, if it is there in time. */
  async arrive(profile: Profile, limitMs: number): Promise<ServerConnection | undefined> {
    if (this.#options.secretsFor !== undefined) {
      const key = await this.#secretKey(profile).catch(() => undefined); // the call that needs it says why
      return key === undefined
        ? undefined
        : this.#withExtra(key, profile, ({ link }) => link.arrive(limitMs));
    }
    this.expect(profile);
    const connection = await this.primary.arrive(limitMs);
    if (connection?.verdict.kind !== "legacy") return connection;
    const wantsNew = profile.era === "modern" && this.#only === undefined && !this.#options.isOld();
    const declared = capabilityKey(profile.capabilities ?? {});
    if (!wantsNew && declared === capabilityKey(this.#profile.capabilities ?? {})) return connection;
    if (!wantsNew && !this.#claimed) {
      // It was made for no host, or for a listing only.
      this.#claim(this.#separate(profile));
      await waitAtMost(
        this.#reopen(profile).catch(() => undefined),
        limitMs,
      ); // shown in its view
      return this.primary.connection;
    }
    const key = wantsNew ? "modern" : keyWith(this.#separate(profile), declared);
    if (!this.#extra.has(key) && this.#isFull) return connection;
    return this.#withExtra(key, profile, ({ link }) => link.arrive(limitMs));
  }

  /** Wait for a connection that a caller of this profile can use. */
  async reach(profile: Profile): Promise<ServerConnection> {
    if (this.#options.secretsFor === undefined) {
      this.expect(profile);
      return this.primary.use();
    }
    return this.#withExtra(await this.#secretKey(profile), profile, ({ link }) => link.use());
  }

  /** All connections, the primary one first. */
  all(): readonly LinkUse[] {
    const primary = { link: this.primary, profile: this.#profile, session: this.#owner };
    return [primary, ...this.#extra.values()];
  }

  /** All connections that are open. */
  connections(): readonly ServerConnection[] {
    return this.all().flatMap(({ link }) => link.connection ?? []);
  }

  /** The state of the primary connection, or that callers with secrets of their own have others. */
  get shownState(): LinkState {
    const isUsed = this.#options.secretsFor !== undefined && this.connections().length > 0;
    return isUsed ? "ready" : this.primary.state;
  }

  get health(): HealthVerdict {
    const state = this.shownState;
    const { server } = this.#options;
    const message = this.primary.reason ?? `the MCP server "${server}" is ${state}`;
    return { healthy: state !== "failed", message };
  }

  /** Do something with the connection that suits the host of this call. */
  async with<T>(call: UpstreamCall, work: (connection: ServerConnection) => Promise<T>): Promise<T> {
    const { capabilities, era, owner } = call;
    const caller: Profile = { capabilities, era, owner, session: callerOf(call)?.sessionId };
    if (this.#options.secretsFor !== undefined) {
      const key = keyWith(this.#separate(caller), await this.#secretKey(call));
      return this.#withExtra(key, caller, async ({ link }) =>
        work(link.connection ?? (await waitFor(link.use(), call.signal))),
      );
    }
    this.expect(caller);
    const known = this.#reopening === undefined ? this.primary.connection : undefined;
    const first = known ?? (await waitFor(this.#reopening ?? this.primary.use(), call.signal));
    // Another call that waited too may have found that it must be made again.
    const connection = this.#reopening === undefined ? first : await waitFor(this.#reopening, call.signal);
    this.#learn(connection);
    const session = this.#separate(caller);
    const isOwn = !this.#claimed || session === this.#owner;
    if (isOwn && this.#keyOf(call, connection) === this.#keyOf(this.#profile, connection)) {
      this.#claim(session);
      return work(connection);
    }
    const key = keyWith(session, this.#keyOf(call, connection));
    if (!this.#claimed) {
      this.#claim(session);
      return work(await waitFor(this.#reopen(caller), call.signal));
    }
    return this.#withExtra(key, caller, async ({ link }) =>
      work(link.connection ?? (await waitFor(link.use(), call.signal))),
    );
  }

  /** The session of a caller that must not share a connection with others. */
  #separate({ session, capabilities }: Profile): string | undefined {
    const hasOwn = this.#asksRoots && capabilities?.["roots"] !== undefined;
    return this.#options.perSession === true || hasOwn ? session : undefined;
  }

  /** The same for callers who can share a connection to a server that was given secrets. */
  async #secretKey({ owner = {}, era, capabilities }: Profile): Promise<string> {
    const kind = this.#only ?? era;
    const declared = kind === "modern" ? kind : capabilityKey(capabilities ?? {});
    return `${(await this.#options.secretsFor?.(owner)) ?? ""} ${declared}`;
  }

  #claim(session: string | undefined): void {
    this.#claimed = true;
    this.#owner = session;
  }

  /** A session is over: what the server kept for it ends with it. */
  async endSession(session: string): Promise<void> {
    for (const [key, extra] of this.#extra) if (extra.session === session) this.#drop(key);
    if (!this.#claimed || this.#owner !== session) return;
    this.#claimed = false;
    this.#owner = undefined;
    await this.primary.close(true);
  }

  /** A server that was asked for one era and answered in the other speaks no other. */
  #learn({ verdict }: ServerConnection): void {
    const { era } = this.#profile;
    if (era !== undefined && era !== verdict.kind) this.#only = verdict.kind;
  }

  #keyOf({ era, capabilities }: Profile, { verdict }: ServerConnection): string {
    const kind = this.#only ?? (this.#options.isOld() ? "legacy" : (era ?? verdict.kind));
    return kind === "modern" ? kind : capabilityKey(capabilities ?? {});
  }

  /** Close all connections; with `again` the primary one can be opened again. */
  async close(again = false): Promise<void> {
    const extra = [...this.#extra.values()];
    this.#extra.clear();
    for (const { idle } of extra) clearTimeout(idle);
    await Promise.all([this.primary.close(again), ...extra.map(({ link }) => link.close())]);
  }

  /** Stop the server until it is started explicitly. */
  async stop(): Promise<void> {
    const extra = [...this.#extra.keys()];
    for (const key of extra) this.#drop(key);
    await this.primary.stop();
  }

  /** Nobody has used the connection that listed the tools: it is made again for the first host. */
  #reopen({ capabilities, era, session }: Profile): Promise<ServerConnection> {
    this.#profile = { capabilities, era, session };
    this.#reopening = this.primary
      .close(true)
      .then(() => this.primary.open())
      .finally(() => (this.#reopening = undefined));
    return this.#reopening;
  }

  async #withExtra<T>(
    key: string,
    { capabilities, era, owner, session }: Profile,
    work: (extra: Extra) => Promise<T>,
  ): Promise<T> {
    const extra = this.#extra.get(key) ?? this.#add(key, { capabilities, era, owner, session });
    clearTimeout(extra.idle);
    extra.calls += 1;
    try {
      return await work(extra);
    } finally {
      extra.calls -= 1;
      if (extra.calls === 0) {
        const waitMs = extra.session === undefined ? idleMs : sessionIdleMs;
        extra.idle = setTimeout(() => this.#drop(this.#keyOfExtra(extra)), waitMs);
        extra.idle.unref();
      }
    }
  }

  /** Every connection that there may be is in use. */
  get #isFull(): boolean {
    return this.#extra.size >= this.#maxExtra && [...this.#extra.values()].every(({ calls }) => calls > 0);
  }

  get #maxExtra(): number {
    const { perSession, secretsFor } = this.#options;
    const areShared = perSession !== true && !this.#asksRoots && secretsFor === undefined;
    return areShared ? maxExtra : maxSessions;
  }

  #add(key: string, profile: Profile): Extra {
    if (this.#isFull) throw tooMany(this.#options.server, this.#maxExtra);
    const unused = [...this.#extra].find(([, { calls }]) => calls === 0)?.[0];
    if (this.#extra.size >= this.#maxExtra && unused !== undefined) this.#drop(unused);
    const link: ServerLink = this.#options.createLink(() => profile, {
      primary: false,
      session: () => extra.session ?? (link.connection === undefined ? profile.session : undefined),
      keepFor: (session) => this.#keepFor(session, extra),
    });
    const session = this.#separate(profile);
    const extra: Extra = { link, profile, session, calls: 0, idle: undefined };
    this.#extra.set(key, extra);
    return extra;
  }

  #keepFor(session: string, extra: Extra): void {
    this.#asksRoots = true;
    if (extra.session !== undefined) return;
    extra.session = session;
    const key = this.#keyOfExtra(extra);
    this.#extra.delete(key);
    this.#extra.set(keyWith(session, key), extra);
  }

  #keyOfExtra(extra: Extra): string {
    return [...this.#extra].find(([, one]) => one === extra)?.[0] ?? "";
  }

  #drop(key: string): void {
    const extra = this.#extra.get(key);
    this.#extra.delete(key);
    clearTimeout(extra?.idle);
    void extra?.link.close();
  }
}
