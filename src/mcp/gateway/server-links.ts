import { ToolUnavailableError } from "../../contract/errors.js";
import type { SecretScope } from "../../contract/ports/secrets.js";
import type { ProtocolEra, UpstreamCall } from "../../contract/ports/upstream.js";
import type { HealthVerdict } from "../../contract/tool.js";
import type { ServerConnection } from "../client/server-connection.js";
import { capabilityKey, type Profile } from "./caller.js";
import type { LinkState, ServerLink } from "./server-link.js";

/** What a connection is for. */
export interface LinkRole {
  /** It lists the tools. */
  readonly primary: boolean;
  /** The only session that uses it. */
  readonly session?: string | undefined;
}

export interface LinksOptions {
  readonly server: string;
  /** The only era that the configuration allows. */
  readonly era?: ProtocolEra | undefined;
  /** Every session has a connection of its own, and this says whose call it is. @default they share connections */
  readonly sessionOf?: ((call: UpstreamCall) => string | undefined) | undefined;
  /** The server needs stored secrets: names the values that a caller gets. Calls with others share no connection. */
  readonly secretsFor?: ((owner: SecretScope) => Promise<string>) | undefined;
  /** The server is known to speak only the revisions of 2025. */
  readonly isOld: () => boolean;
  /** A link to the server for callers of this profile; the primary one lists the tools. */
  readonly createLink: (profile: () => Profile, role: LinkRole) => ServerLink;
}

interface Extra {
  readonly link: ServerLink;
  /** Whose it is, where each session has its own. */
  readonly session: string | undefined;
  calls: number;
  idle: NodeJS.Timeout | undefined;
}

/** Connections of one server for hosts that declare different things. */
const mostExtra = 8;
const idleMs = 5 * 60_000;
/** The same where each session has its own, and may come back to what it left there. */
const mostSessions = 64;
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
  /** The primary connection while it is made again: calls that come meanwhile wait for it. */
  #reopening: Promise<ServerConnection> | undefined;

  constructor(options: LinksOptions) {
    this.#options = options;
    this.#only = options.era;
    this.primary = options.createLink(() => this.#profile, { primary: true });
  }

  /** The first connection will be made for a caller of this profile. */
  expect({ capabilities, era }: Profile): void {
    if (!this.#claimed && this.primary.state === "idle") this.#profile = { capabilities, era };
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
    const wantsNew = profile.era === "modern" && connection?.verdict.kind === "legacy";
    if (!wantsNew || this.#only !== undefined || this.#options.isOld()) return connection;
    if (!this.#extra.has("modern") && this.#isFull) return connection;
    return this.#withExtra("modern", profile, ({ link }) => link.arrive(limitMs));
  }

  /** Wait for a connection that a caller of this profile can use. */
  async reach(profile: Profile): Promise<ServerConnection> {
    if (this.#options.secretsFor === undefined) {
      this.expect(profile);
      return this.primary.use();
    }
    return this.#withExtra(await this.#secretKey(profile), profile, ({ link }) => link.use());
  }

  /** All connections that are open. */
  connections(): readonly ServerConnection[] {
    const links = [this.primary, ...[...this.#extra.values()].map(({ link }) => link)];
    return links.flatMap(({ connection }) => connection ?? []);
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
    if (this.#options.secretsFor !== undefined) {
      const session = this.#options.sessionOf?.(call);
      const key = `${session ?? ""} ${await this.#secretKey(call)}`;
      return this.#withExtra(key, { ...call, session }, async ({ link }) =>
        work(link.connection ?? (await waitFor(link.use(), call.signal))),
      );
    }
    this.expect(call);
    const known = this.#reopening === undefined ? this.primary.connection : undefined;
    const first = known ?? (await waitFor(this.#reopening ?? this.primary.use(), call.signal));
    // Another call that waited too may have found that it must be made again.
    const connection = this.#reopening === undefined ? first : await waitFor(this.#reopening, call.signal);
    this.#learn(connection);
    const session = this.#options.sessionOf?.(call);
    const isOwn = !this.#claimed || session === this.#owner;
    if (isOwn && this.#keyOf(call, connection) === this.#keyOf(this.#profile, connection)) {
      this.#claim(session);
      return work(connection);
    }
    if (!this.#claimed) {
      this.#claim(session);
      return work(await waitFor(this.#reopen(call), call.signal));
    }
    const key = this.#keyOf(call, connection);
    return this.#withExtra(
      session === undefined ? key : `${session} ${key}`,
      { ...call, session },
      async ({ link }) => work(link.connection ?? (await waitFor(link.use(), call.signal))),
    );
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
    const kind = this.#only ?? era ?? verdict.kind;
    return kind === "modern" ? kind : capabilityKey(capabilities ?? {});
  }

  /** Close all connections; with `again` the primary one can be opened again. */
  async close(again = false): Promise<void> {
    const extra = [...this.#extra.values()];
    this.#extra.clear();
    for (const { idle } of extra) clearTimeout(idle);
    await Promise.all([this.primary.close(again), ...extra.map(({ link }) => link.close())]);
  }

  /** Stop the server until somebody starts it again. */
  async stop(): Promise<void> {
    const extra = [...this.#extra.keys()];
    for (const key of extra) this.#drop(key);
    await this.primary.stop();
  }

  /** Nobody has used the connection that listed the tools: it is made again for the first host. */
  #reopen({ capabilities, era }: Profile): Promise<ServerConnection> {
    this.#profile = { capabilities, era };
    this.#reopening = this.primary
      .close(true)
      .then(() => this.primary.open())
      .finally(() => (this.#reopening = undefined));
    return this.#reopening;
  }

  async #withExtra<T>(
    key: string,
    { capabilities, era, owner, session }: Profile & { readonly session?: string | undefined },
    work: (extra: Extra) => Promise<T>,
  ): Promise<T> {
    const extra = this.#extra.get(key) ?? this.#add(key, { capabilities, era, owner }, session);
    clearTimeout(extra.idle);
    extra.calls += 1;
    try {
      return await work(extra);
    } finally {
      extra.calls -= 1;
      if (extra.calls === 0) {
        extra.idle = setTimeout(() => this.#drop(key), session === undefined ? idleMs : sessionIdleMs);
        extra.idle.unref();
      }
    }
  }

  /** Every connection that there may be is in use. */
  get #isFull(): boolean {
    return this.#extra.size >= this.#most && [...this.#extra.values()].every(({ calls }) => calls > 0);
  }

  get #most(): number {
    const { sessionOf, secretsFor } = this.#options;
    return sessionOf === undefined && secretsFor === undefined ? mostExtra : mostSessions;
  }

  #add(key: string, profile: Profile, session: string | undefined): Extra {
    if (this.#isFull) throw tooMany(this.#options.server, this.#most);
    const unused = [...this.#extra].find(([, { calls }]) => calls === 0)?.[0];
    if (this.#extra.size >= this.#most && unused !== undefined) this.#drop(unused);
    const link = this.#options.createLink(() => profile, { primary: false, session });
    const extra = { link, session, calls: 0, idle: undefined };
    this.#extra.set(key, extra);
    return extra;
  }

  #drop(key: string): void {
    const extra = this.#extra.get(key);
    this.#extra.delete(key);
    clearTimeout(extra?.idle);
    void extra?.link.close();
  }
}

function tooMany(server: string, most: number): ToolUnavailableError {
  return new ToolUnavailableError(
    `The MCP server "${server}" is in use by ${most} hosts that each need an instance of their own.`,
    { code: "SERVER_UNAVAILABLE", hint: "Call again when one of them is done." },
  );
}

/** Others may wait for the same connection, so only this wait ends with the signal. */
function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
