import { ToolResourceNotFoundError, ToolUnavailableError } from "../../contract/errors.js";
import type { UpstreamTool } from "../../contract/ports/upstream.js";
import type { Tool } from "../../contract/tool.js";
import { listingKey, type Profile } from "./caller.js";
import type { FaultLog } from "./fault-log.js";
import { fingerprint } from "./fingerprint.js";
import { type HeldTool, holdTool, toHeldView, toRejected } from "./held-tool.js";
import type { ServerView, ToolRegistration } from "./gateway-types.js";
import { messageOf } from "../../contract/message-of.js";
import { registerTools } from "./register-tools.js";
import { screenListing } from "./screen-listing.js";
import type { ScreenedTool } from "./screen-tool.js";
import type { ServerMemory, ServerRecord } from "./server-memory.js";

export interface CatalogueOptions {
  readonly server: string;
  /** A digest of where the server is reached. */
  readonly target: string;
  readonly registry: ToolRegistration;
  readonly memory: ServerMemory;
  readonly faults: FaultLog;
  /** Whether the person wants this tool at all. */
  readonly wanted: (name: string) => boolean;
  /** The tool that is registered for a definition. */
  readonly wrap: (tool: ScreenedTool) => Tool;
}

/** The tools of one server: which definitions were accepted, which are held or refused, and which are registered. */
export class ServerCatalogue {
  readonly #options: CatalogueOptions;
  readonly #registered = new Map<string, ScreenedTool>();
  #held = new Map<string, HeldTool>();
  #refused: ServerView["refused"] = [];
  #record: ServerRecord | undefined;
  #loading: Promise<void> | undefined;
  /** The last listing for each kind of host: a server may offer more to some of them. */
  readonly #listings = new Map<string, readonly UpstreamTool[]>();

  constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  /** The tools are known, from this run or an earlier one. */
  get isKnown(): boolean {
    return this.#listings.size > 0 || this.#record !== undefined;
  }

  /** The same as such a host would be shown them; it may see what others are offered as well. */
  isKnownTo({ era, capabilities }: Profile): boolean {
    const { verdict, eras } = this.#record ?? {};
    if (!this.isKnown || eras === undefined) return this.isKnown;
    const isOld = eras.some((key) => key.startsWith("legacy"));
    if (era === "modern" && verdict?.kind !== "legacy") return eras.includes(era);
    // What an older host without capabilities is offered, newer and more able ones are offered too.
    const key = listingKey("legacy", capabilities);
    return key === "legacy" || !isOld || eras.includes(key);
  }

  /** What an earlier run stored. */
  get record(): ServerRecord | undefined {
    return this.#record;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  /** Register what an earlier run accepted, without starting anything. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  has(tool: string): boolean {
    return this.#registered.has(tool);
  }

  /** The definitions that can be called now. */
  usable(): readonly ScreenedTool[] {
    return [...this.#registered.values()].filter(({ raw }) => !this.#held.has(raw.name));
  }

  view(): Pick<ServerView, "tools" | "held" | "refused"> {
    return {
      tools: this.usable().map(({ shown, warnings }) => ({
        name: shown.name,
        description: shown.description ?? "",
        warnings,
      })),
      held: [...this.#held.values()].map(toHeldView),
      refused: this.#refused,
    };
  }

  /** Take a new listing: the same definitions go on, changed ones are held, unknown ones count as accepted. */
  async take(listed: readonly UpstreamTool[], key = "legacy"): Promise<void> {
    this.#listings.set(key, listed);
    const { tools, refused } = this.#screen(this.#joined(key));
    const accepted: Record<string, UpstreamTool> = { ...this.#record?.accepted };
    const held = new Map<string, HeldTool>();
    const usable = new Map<string, ScreenedTool>();
    for (const [name, tool] of tools) {
      const before = Object.hasOwn(accepted, name) ? accepted[name] : undefined;
      if (before === undefined || fingerprint(before) === fingerprint(tool.raw)) {
        accepted[name] = tool.raw;
        usable.set(name, tool);
        continue;
      }
      const rejected = this.#record?.rejected?.[name] === fingerprint(tool.raw);
      held.set(name, holdTool(tool, { before, rejected }));
    }
    this.#refused = refused;
    this.#held = held;
    this.#register(usable);
    await this.keep({ accepted, listed: [...tools.keys()], eras: [...this.#listings.keys()] });
  }

  /** Forget the listings for other hosts than these: nobody would hear of their changes. */
  keepListings(keys: ReadonlySet<string>): void {
    for (const key of this.#listings.keys()) if (!keys.has(key)) this.#listings.delete(key);
  }

  /** The newest listing, and what is offered to other hosts only. */
  #joined(newest: string): readonly UpstreamTool[] {
    const listed = this.#listings.get(newest) ?? [];
    const joined = new Map(listed.map((tool) => [tool.name, tool]));
    for (const tools of this.#listings.values())
      for (const tool of tools) if (!joined.has(tool.name)) joined.set(tool.name, tool);
    // A name that one listing has twice is for the screening to judge.
    return [...listed, ...[...joined.values()].filter((tool) => !listed.includes(tool))];
  }

  /** Use changed definitions from now on; returns their names. */
  async accept(tools?: readonly string[]): Promise<readonly string[]> {
    const taken = this.#heldAmong(tools).map(({ offered }) => offered);
    const accepted = { ...this.#record?.accepted };
    for (const { raw } of taken) accepted[raw.name] = raw;
    await this.keep({ accepted });
    for (const offered of taken) this.#release(offered);
    return taken.map(({ raw }) => raw.name);
  }

  /** Keep changed definitions out, also after a restart, until they change again or are accepted; returns their names. */
  async reject(tools?: readonly string[]): Promise<readonly string[]> {
    const refused = this.#heldAmong(tools);
    const rejected = { ...this.#record?.rejected };
    for (const held of refused) {
      rejected[held.tool] = fingerprint(held.offered.raw);
      this.#held.set(held.tool, toRejected(held));
      this.#options.registry.disable(this.#full(held.tool), this.#whyHeld(held.tool));
    }
    await this.keep({ rejected });
    return refused.map(({ tool }) => tool);
  }

  #heldAmong(tools: readonly string[] | undefined): readonly HeldTool[] {
    const { server } = this.#options;
    const names = tools ?? [...this.#held.keys()];
    const missing = names.find((tool) => !this.#held.has(tool));
    if (missing !== undefined) {
      throw new ToolResourceNotFoundError(`MCP server "${server}" has no held definition of "${missing}".`, {
        hint: `"tenon mcp-servers list" shows what waits for a person.`,
      });
    }
    return names.flatMap((tool) => this.#held.get(tool) ?? []);
  }

  /** Throw where a tool may not be called now. */
  check(tool: string): Promise<void> | undefined {
    if (this.#held.has(tool)) return this.#checkHeld(tool);
    if (this.#registered.has(tool)) return undefined;
    const { server } = this.#options;
    throw new ToolUnavailableError(`The MCP server "${server}" does not offer a tool "${tool}" now.`, {
      code: "SERVER_UNAVAILABLE",
      hint: `"tenon mcp-servers list" shows what it offers, and what was refused and why.`,
    });
  }

  async #checkHeld(tool: string): Promise<void> {
    const { server } = this.#options;
    await this.#takeAcceptedElsewhere(tool);
    if (!this.#held.has(tool)) return;
    throw new ToolUnavailableError(`"${this.#full(tool)}" is held: ${this.#reasonOf(tool)}.`, {
      code: "DEFINITION_HELD",
      retryable: false,
      hint: `A person can review and accept the change: tenon mcp-servers accept ${server} ${tool}`,
    });
  }

  /** Keep what changed for the next run. */
  async keep(changes: Partial<ServerRecord>): Promise<void> {
    const { server, target, memory, faults } = this.#options;
    const before = this.#record ?? { target, accepted: {}, listed: [] };
    const record: ServerRecord = { ...before, ...changes };
    const same = JSON.stringify({ ...before, verdictAt: 0 }) === JSON.stringify({ ...record, verdictAt: 0 });
    if (same && this.#record !== undefined) return;
    this.#record = record;
    try {
      await memory.save(server, record);
    } catch (error) {
      faults.add(`what is known about it could not be stored: ${messageOf(error)}`);
    }
  }

  /** Take all its tools out of the registry. */
  async clear(): Promise<void> {
    const names = [...this.#registered.keys()];
    this.#registered.clear();
    await Promise.all(names.map((tool) => this.#options.registry.unregister(this.#full(tool))));
  }

  async #load(): Promise<void> {
    const { memory, server, target } = this.#options;
    const record = await memory.load(server);
    // Another target is another server: what was accepted of the old one says nothing about it.
    if (record === undefined || record.target !== target) return;
    this.#record = record;
    const known = record.listed.flatMap((tool) => record.accepted[tool] ?? []);
    const { tools, refused } = this.#screen(known);
    this.#refused = refused;
    this.#register(tools);
  }

  #screen(listed: readonly UpstreamTool[]): ReturnType<typeof screenListing> {
    const { server, registry, wanted } = this.#options;
    return screenListing(listed, {
      server,
      wanted,
      ownerOf: (tool) => {
        if (this.#registered.has(tool)) return undefined;
        const taken = [this.#full(tool), `${server}__${tool}`].find((name) => registry.has(name));
        return taken === undefined ? undefined : `the tool "${taken}"`;
      },
    });
  }

  /** Bring the registry in line with what may be used now. */
  #register(usable: ReadonlyMap<string, ScreenedTool>): void {
    const { registry, wrap, faults, server } = this.#options;
    for (const name of this.#registered.keys()) {
      if (usable.has(name)) continue;
      if (this.#held.has(name)) {
        registry.disable(this.#full(name), this.#whyHeld(name));
        continue;
      }
      this.#registered.delete(name);
      registry.unregister(this.#full(name)).catch((error: unknown) => faults.add(messageOf(error)));
    }
    const fresh: ScreenedTool[] = [];
    for (const [name, tool] of usable) {
      const before = this.#registered.get(name);
      if (before === undefined) fresh.push(tool);
      else if (fingerprint(before.raw) !== fingerprint(tool.raw)) this.#release(tool);
      else registry.enable(this.#full(name));
    }
    const failed = registerTools(registry, fresh.map(wrap));
    for (const tool of fresh)
      if (!failed.has(this.#full(tool.raw.name))) this.#registered.set(tool.raw.name, tool);
    const reasons = [...failed].map(([tool, reason]) => ({ tool: tool.slice(server.length + 1), reason }));
    this.#refused = [...this.#refused, ...reasons];
  }

  /** A definition may be called from now on. */
  #release(tool: ScreenedTool): void {
    const { registry, wrap } = this.#options;
    const full = this.#full(tool.raw.name);
    this.#held.delete(tool.raw.name);
    this.#registered.set(tool.raw.name, tool);
    if (registry.has(full)) {
      registry.replace(wrap(tool));
      registry.enable(full);
    } else {
      registry.registerMany([wrap(tool)]);
    }
  }

  /** Another process may have accepted it meanwhile, so the state is asked again. */
  async #takeAcceptedElsewhere(tool: string): Promise<void> {
    const kept = await this.#options.memory.load(this.#options.server);
    if (kept?.target !== this.#options.target) return;
    const offered = this.#held.get(tool)?.offered;
    const accepted = kept.accepted[tool];
    if (offered === undefined || accepted === undefined) return;
    if (fingerprint(accepted) !== fingerprint(offered.raw)) return;
    this.#record = kept;
    this.#release(offered);
  }

  #reasonOf(tool: string): string {
    return this.#held.get(tool)?.reason ?? "its definition changed";
  }

  #whyHeld(tool: string): string {
    return `${this.#reasonOf(tool)}; "tenon mcp-servers accept ${this.#options.server} ${tool}" shows and accepts the change`;
  }

  #full(tool: string): string {
    return `${this.#options.server}:${tool}`;
  }
}
