import { waitAtMost } from "../../contract/system-clock.js";
import type { HostChange, HostScope } from "../../contract/host.js";
import type { UpstreamCall, UpstreamResult, UpstreamTool } from "../../contract/ports/upstream.js";
import type { Tool } from "../../contract/tool.js";
import type { ServerConnection } from "../client/server-connection.js";
import { createAnswerer } from "./answer-server.js";
import { CallForCaller, profileOf, type Caller, type PartialCaller, type Profile } from "./caller.js";
import { Callers } from "./callers.js";
import { foundVerdict, priorVerdict } from "./era-verdict.js";
import { createFaultLog, type FaultLog } from "./fault-log.js";
import type { GatewayOptions, ServerSettings, ServerView } from "./gateway-types.js";
import type { ScreenedTool } from "./screen-tool.js";
import { ServerCatalogue } from "./server-catalogue.js";
import { PendingRoots } from "./pending-roots.js";
import { createRelay } from "./relay-notices.js";
import { ServerLink } from "./server-link.js";
import type { LinkRole } from "./link-types.js";
import { ServerLinks } from "./server-links.js";
import { hidingOpen } from "./hide-secrets.js";
import { secretsFor, type ServerSecrets } from "./server-secrets.js";
import { isWanted, targetDigest } from "./server-target.js";
import { createSlots, type Slots } from "./slots.js";
import { defaultStartMs } from "./start-time.js";
import { createRateLimit, type RateLimit } from "./rate-limit.js";
import { listedFor, listsOf, ToolListing } from "./tool-listing.js";
import { tellRootsChanged } from "./tell-roots.js";
import { toServerView } from "./server-view.js";
import { toUpstreamError } from "./upstream-error.js";
import { WatchedResources } from "./watched-resources.js";
import { wrapMCPTool } from "./wrap-mcp-tool.js";

export interface GatewayServerOptions extends GatewayOptions {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly onChange: (change: HostChange) => void;
}

/** One server behind the gateway: its connection, its tools, and what it did wrong. */
export class GatewayServer {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly links: ServerLinks;
  readonly catalogue: ServerCatalogue;
  readonly #options: GatewayServerOptions;
  readonly #faults: FaultLog;
  readonly #slots: Slots;
  readonly #rate: RateLimit;
  readonly #callers = new Callers();
  readonly #watched = new WatchedResources(() => this.link.connection);
  readonly #listing: ToolListing;
  readonly #secrets: ServerSecrets | undefined;
  #isListed = false;

  constructor(options: GatewayServerOptions) {
    const { name, settings, now, hide, registry, memory, keepLine } = options;
    this.name = name;
    this.settings = settings;
    this.#options = options;
    this.#secrets = secretsFor(settings.spec, options.secrets);
    this.#faults = createFaultLog(now, hide, keepLine && ((line) => keepLine(name, line)));
    this.#slots = createSlots(settings.maxConcurrent ?? 16);
    this.#rate = createRateLimit(name, settings.maxPerMinute, now);
    this.catalogue = new ServerCatalogue({
      server: name,
      target: targetDigest(settings),
      registry,
      memory,
      faults: this.#faults,
      wanted: (tool) => isWanted(tool, settings, options.matches),
      wrap: (tool) => this.#wrap(tool),
    });
    this.#listing = new ToolListing({
      catalogue: this.catalogue,
      connections: () => listsOf(this.links.all()),
      onFault: (message) => this.#faults.add(message),
    });
    this.links = new ServerLinks({
      server: name,
      era: settings.era === "2025" ? "legacy" : settings.era === "2026" ? "modern" : undefined,
      isOld: () => this.catalogue.record?.verdict?.kind === "legacy",
      perSession: settings.instances === "session",
      secretsFor: this.#secrets?.pick,
      createLink: (profile, role) => this.#createLink(profile, role),
    });
  }

  /** The connection that lists the tools and reports changes. */
  get link(): ServerLink {
    return this.links.primary;
  }

  /** It is given stored secrets, which may differ from caller to caller. */
  get needsSecrets(): boolean {
    return this.#secrets !== undefined;
  }

  get enabled(): boolean {
    return this.settings.enabled !== false;
  }

  /** Whether a tool that is not registered may still be one of its: it has not listed them, or cannot be asked now. */
  mayOffer(tool: string): boolean {
    if (!this.enabled) return false;
    return !this.catalogue.isKnown || (this.links.shownState === "failed" && !this.catalogue.has(tool));
  }

  /** What it offered when it was last connected. */
  get offers(): { readonly resources: boolean; readonly prompts: boolean } {
    return (
      this.link.connection?.offers ?? this.catalogue.record?.offers ?? { resources: false, prompts: false }
    );
  }

  /** Call a tool: waits for the connection and a free place, refuses what is held. */
  async callTool(tool: string, args: unknown, call: UpstreamCall): Promise<UpstreamResult> {
    try {
      return await this.links.with(call, async (connection) => {
        const checking = this.catalogue.check(tool);
        if (checking !== undefined) await checking;
        this.#rate.count();
        const entering = this.#slots.take(call);
        const leave = entering instanceof Promise ? await entering : entering;
        try {
          return await connection.callTool(tool, args, call);
        } finally {
          leave();
        }
      });
    } catch (error) {
      throw toUpstreamError(error, { server: this.name, tool, signal: call.signal });
    }
  }

  /** Send another request of the caller's, such as `prompts/get`. */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    scope: HostScope,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { session, client, signal, onProgress } = scope;
    const caller: Caller = { sessionId: session?.id ?? "", endpoint: session?.endpoint, client };
    const call = new CallForCaller(caller, { signal }, onProgress);
    this.relate(caller);
    return this.links.with(call, async (connection) => {
      const leave = await this.#slots.take(call);
      try {
        return await connection.send(method, params, call);
      } finally {
        leave();
      }
    });
  }

  /** A call is made for this caller, whose session may be asked something from now on. */
  relate(caller: Caller): void {
    this.#callers.meet(caller);
  }

  /** A host wants to know what the server offers: it may be asked something before it calls anything. */
  meet(caller: PartialCaller): Profile {
    const { sessionId, client } = caller;
    if (sessionId !== undefined && client !== undefined) this.#callers.meet({ ...caller, sessionId });
    return profileOf(caller);
  }

  /** The roots of the session's host changed. */
  rootsChanged(sessionId: string): void {
    tellRootsChanged(this.links.all(), this.#callers, sessionId);
  }

  /** The session is over. */
  async endSession(sessionId: string): Promise<void> {
    this.#callers.forget(sessionId);
    await this.links.endSession(sessionId);
  }

  /** Hear of changes of a resource; the result ends that. */
  async watch(uri: string): Promise<() => void> {
    await this.link.use().catch(() => undefined); // shown in its view; it is told once it works
    return this.#watched.add(uri);
  }

  /** Record a fault of the server. */
  noteFault(message: string): void {
    this.#faults.add(message);
  }

  async listTools(): Promise<readonly UpstreamTool[]> {
    await this.link.use();
    await this.#listing.settled;
    return this.catalogue.usable().map(({ shown }) => shown);
  }

  /** Use changed definitions from now on, or keep them out; returns their names. */
  async review(how: "accept" | "reject", tools?: readonly string[]): Promise<readonly string[]> {
    if (this.catalogue.heldCount === 0) await this.link.use();
    await this.#listing.settled;
    return this.catalogue[how](tools);
  }

  async remove(): Promise<void> {
    await this.close();
    await this.catalogue.clear();
  }

  /** Remove its tools immediately; running calls may finish before it is closed. */
  async retire(graceMs: number): Promise<void> {
    const cleared = this.catalogue.clear();
    await waitAtMost(this.#slots.whenFree(), graceMs);
    await this.close();
    await cleared;
  }

  async close(): Promise<void> {
    this.#listing.stop();
    await this.links.close();
  }

  view(): ServerView {
    return toServerView(this, { faults: this.#faults, hide: this.#options.hide });
  }

  async #onOpen(connection: ServerConnection, profile: Profile): Promise<void> {
    await this.catalogue.load();
    await this.#listing.take(listedFor(connection, profile));
    const { resources, prompts } = connection.offers;
    const { capabilities, era, session } = profile;
    await this.catalogue.keep({
      ...foundVerdict(connection, this.#options.now),
      ...(session !== undefined && { host: { capabilities, era } }),
      offers: { resources, prompts },
    });
    if (!this.#watched.isEmpty) await this.#watched.tell(connection);
    if (resources) this.#options.onChange({ kind: "resources", server: this.name });
    if (prompts) this.#options.onChange({ kind: "prompts", server: this.name });
  }

  /** A connection for other hosts lists only what the first one does not: what is offered to its kind of hosts. */
  async #onExtraOpen(connection: ServerConnection, profile: Profile): Promise<void> {
    await this.catalogue.keep(foundVerdict(connection, this.#options.now));
    if (this.needsSecrets && !this.#isListed) {
      // Its callers have no connection in common, so the first one of any of them lists.
      this.#isListed = true;
      await this.#onOpen(connection, profile);
    } else if (!this.catalogue.isKnownTo({ ...profile, era: connection.verdict.kind }))
      await this.#listing.take(listedFor(connection, profile));
  }

  #createLink(profile: () => Profile, { primary, session, keepFor }: LinkRole): ServerLink {
    const { name, settings, now, random, open, onChange } = this.#options;
    const { hide } = this.#secrets ?? {};
    const onlyCaller = (): Caller | undefined => this.#callers.onlyFor(profile(), session());
    const onFault = (message: string): void => this.#faults.add(message);
    const answering = new PendingRoots(
      createAnswerer({ server: name, onlyCaller, onRoots: keepFor, onFault, now }),
    );
    return new ServerLink({
      server: name,
      spec: settings.spec,
      startTimeoutMs: settings.startTimeoutMs ?? defaultStartMs(settings.spec),
      open: hide === undefined ? open : hidingOpen(open, hide),
      faults: this.#faults,
      now,
      random,
      profile,
      prior: async (era) => {
        await this.catalogue.load();
        return priorVerdict(this.catalogue.record, era, now);
      },
      events: {
        onToolsChanged: () => this.#listing.onChanged(),
        era: settings.era,
        onNotice: createRelay({ server: name, onlyCaller, session, onChange, onFault, now }),
        answer: answering.answer,
      },
      onOpen: async (connection) => {
        await (primary ? this.#onOpen(connection, profile()) : this.#onExtraOpen(connection, profile()));
        if (profile().capabilities?.["roots"] !== undefined) await answering.settle(connection);
      },
    });
  }

  #wrap({ shown }: ScreenedTool): Tool {
    const { trustAnnotations, timeoutMs } = this.settings;
    return wrapMCPTool(this, shown, {
      server: this.name,
      trustAnnotations,
      timeoutMs,
      onCall: (_call, ctx) => this.relate(ctx),
      healthCheck: () => this.links.health,
    });
  }
}
