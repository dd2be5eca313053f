import { ToolUnavailableError } from "../contract/errors.js";
import type { HealthReport, StateChange, ToolState } from "../contract/lifecycle.js";
import type { Tool, ToolCategory, ToolDescription } from "../contract/tool.js";
import type { ToolMakers } from "../contract/tool-makers.js";
import { toLLMTools, type LLMFormat, type LLMTools } from "../llm/to-llm-tools.js";
import { checkKeys } from "../schema/check-keys.js";
import type { ToolLike } from "./accept-tool.js";
import { describeEntry } from "./describe-entry.js";
import { type Variant, checkVariants } from "./experiment.js";
import { type ToolQuery, findTools } from "./find-tools.js";
import type { NameIndex } from "./name-index.js";
import { optionKeys, type RegistryOptions } from "./registry-options.js";
import { type RegistryStats, toStats } from "./registry-stats.js";
import { reportHealth, reportOverall } from "./report-health.js";
import { type ResolveView, Resolver } from "./resolver.js";
import { Roster } from "./roster.js";
import type { ToolEntry } from "./tool-entry.js";
import { ToolsetCatalogue } from "./toolset-catalogue.js";
import type { Toolset, ToolsetDefinition } from "./toolsets.js";
import { WaitingTools } from "./waiting-tools.js";
import { attempt, TransitionHub, type TransitionListener } from "./lifecycle.js";

/** Which tools are listed. */
export interface ListFilter {
  readonly toolset?: string | Toolset | undefined;
  /** @default false */
  readonly includeDisabled?: boolean;
}

/** The tools of a runtime: names, versions, dependencies, experiments, toolsets and lives. */
export class ToolRegistry {
  readonly #options: RegistryOptions;
  readonly #roster: Roster;
  readonly #index: NameIndex;
  readonly #resolver: Resolver;
  readonly #toolsets: ToolsetCatalogue;
  readonly #hub: TransitionHub;
  readonly #changeListeners = new Set<() => void>();
  #generation = 0;
  #closing: Promise<void> | undefined;

  constructor(options: RegistryOptions = {}) {
    checkKeys(options, optionKeys, "ToolRegistry");
    const { emit, isHeard, health = {}, clock = { now: () => Date.now() } } = options;
    this.#options = options;
    this.#toolsets = new ToolsetCatalogue(options.toolsets, (name) => this.has(name));
    this.#hub = new TransitionHub(
      emit && ((transition) => emit("TOOL_STATE_CHANGED", transition)),
      isHeard?.bind(undefined, "TOOL_STATE_CHANGED"),
    );
    this.#roster = new Roster({ clock, watch: this.#hub, health }, (event, payload) =>
      emit?.(event, payload),
    );
    this.#index = this.#roster.index;
    this.#resolver = new Resolver(this.#index, clock);
  }

  /** Changes whenever what a listing shows may have changed. */
  get generation(): number {
    return this.#generation;
  }

  /** Check a tool and take it in, or throw a ToolDefinitionError. */
  register(tool: ToolLike): ToolEntry {
    return this.registerMany([tool])[0] as ToolEntry;
  }

  /** Take in all tools or none, each after those that it depends on; returns them in that order. */
  registerMany(tools: readonly ToolLike[]): ToolEntry[] {
    this.#checkOpen();
    const entries = this.#roster.add(tools);
    this.#changed();
    return entries;
  }

  /**
   * @internal Register the first tools of all, but make each when something first asks for it: by its name, or for all. Where
   * somebody listens for events, all are made at once, so that none is missed.
   */
  registerOnUse(makers: ToolMakers): void {
    this.#checkOpen();
    const { isHeard } = this.#options;
    if (isHeard === undefined || isHeard("TOOL_REGISTERED")) {
      this.registerMany(Object.values(makers).map((make) => make()));
      return;
    }
    this.#roster.addOnUse(new WaitingTools(makers));
    this.#changed();
  }

  /**
   * Put a tool in the place of the same version, else of the default version. New calls see it at
   * once; running ones finish on the old one, which is disposed when its last call ends.
   */
  replace(tool: ToolLike): ToolEntry {
    this.#checkOpen();
    const entry = this.#roster.replace(tool);
    this.#changed();
    return entry;
  }

  /** Remove all versions of a name, or those of `name@range`; waits for running calls and `dispose`. */
  async unregister(spec: string): Promise<boolean> {
    const entries = this.#index.select(spec);
    if (entries.length === 0) return false;
    const left = this.#roster.remove(entries);
    this.#changed();
    await left;
    return true;
  }

  /** The tool of a name, an alias or `name@range`, disabled or not. */
  get(name: string): Tool | undefined {
    return this.#index.lookup(name)?.tool;
  }

  /** @internal The entry behind a name, an alias or `name@range`, disabled or not. */
  entry(name: string): ToolEntry | undefined {
    return this.#index.lookup(name);
  }

  has(name: string): boolean {
    return this.#index.lookup(name) !== undefined;
  }

  /** The default version of every tool, in order of registration. */
  list(filter: ListFilter = {}): Tool[] {
    return this.#listed(filter).map(({ tool }) => tool);
  }

  /** What is known of every tool without running it, in order of registration. */
  descriptions(filter: ListFilter = {}): ToolDescription[] {
    return this.#listed(filter).map(describeEntry);
  }

  listByCategory(category: ToolCategory): Tool[] {
    return this.find({ category });
  }

  /** The tools that fit a query; with a text, the best first. */
  find(query: ToolQuery = {}): Tool[] {
    const { toolset, ...rest } = query;
    const among = this.#listed(toolset === undefined ? {} : { toolset });
    return findTools(among, rest).map(({ tool }) => tool);
  }

  /** Allow calls again; a tool that was taken out starts afresh. */
  enable(spec: string): void {
    const family = this.#index.family(spec);
    if (family !== undefined) family.off = undefined;
    for (const entry of this.#known(spec)) entry.enable();
    this.#changed();
  }

  /** Refuse new calls at once; running ones end. A whole name covers versions that come later, too. */
  disable(spec: string, reason = ""): void {
    const family = this.#index.family(spec);
    if (family !== undefined) family.off = reason;
    for (const entry of this.#known(spec)) entry.disable(reason);
    this.#changed();
  }

  /** The definitions for a model in a provider's dialect, with names that are legal there. */
  toLLMTools(format: LLMFormat, filter: ListFilter = {}): LLMTools["tools"] {
    return toLLMTools(this.descriptions(filter), format).tools;
  }

  getStats(): RegistryStats {
    return toStats(this.#listed({ includeDisabled: true }), this.#options.callStats?.() ?? {});
  }

  describe(name: string): ToolDescription | undefined {
    const entry = this.#index.lookup(name);
    return entry && describeEntry(entry);
  }

  /** Split the sessions over versions of one tool by weight; `null` ends it. */
  experiment(name: string, variants: readonly Variant[] | null): void {
    const family = this.#index.family(name);
    if (family === undefined) throw this.#resolver.notFound(name);
    if (variants !== null) checkVariants(family.name, variants, family.versions);
    this.#index.split(
      family,
      variants?.map(({ version, weight }) => ({ version, weight })),
    );
  }

  /** The versions of a tool, the default first, and the weights of an experiment on them. */
  versions(name: string): { readonly all: readonly string[]; readonly split: readonly Variant[] } {
    const { versions = [], variants = [] } = this.#index.family(name) ?? {};
    return { all: versions.map(({ version }) => version), split: variants };
  }

  defineToolset(name: string, definition: ToolsetDefinition): void {
    this.#toolsets.define(name, definition);
    this.#changed();
  }

  /** The toolset of that name, or an error with the nearest one. */
  toolset(name: string): Toolset {
    return this.#toolsets.get(name);
  }

  toolsetNames(): string[] {
    return this.#toolsets.names();
  }

  /** @internal The entry that answers a name in a view, or ToolNotFoundError or ToolUnavailableError. */
  resolve(name: string, view: ResolveView): ToolEntry {
    if (this.#closing !== undefined) this.#checkOpen();
    return this.#resolver.resolve(name, view);
  }

  /** The health of one tool, or of the whole. */
  async health(name?: string): Promise<HealthReport> {
    if (name === undefined) return reportOverall(this.#listed({ includeDisabled: true }), this.#resolver);
    const entry = this.#index.lookup(name);
    if (entry !== undefined) return reportHealth(entry, this.#resolver);
    const { message, hint } = this.#resolver.notFound(name);
    return { status: "not_found", message: `${message} ${hint}` };
  }

  /** The state of a tool, the last one of a tool that left included. */
  state(name: string): ToolState {
    return this.#remembered(name).state;
  }

  /** The last changes of a tool's state, oldest first. */
  history(name: string): readonly StateChange[] {
    return this.#remembered(name).lifecycle.history();
  }

  /** Hear of every transition, before or after it; returns how to stop. */
  onTransition(listener: TransitionListener, phase: "before" | "after"): () => void {
    return this.#hub.add(listener, phase);
  }

  /** Hear whenever what a listing shows may have changed; returns how to stop. */
  onChange(listener: () => void): () => void {
    const own = (): void => listener();
    this.#changeListeners.add(own);
    return () => void this.#changeListeners.delete(own);
  }

  /** Run a tool's `init` now instead of at its first call; again where it failed. */
  async initialize(name: string): Promise<void> {
    const entry = this.#index.lookup(name);
    if (entry === undefined) throw this.#resolver.notFound(name);
    await entry.initialize();
  }

  /** Take no new calls, let running ones end and dispose every tool. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#hub.active || this.#options.isHeard?.("TOOL_UNREGISTERED") !== false) this.#index.takeInAll();
    const left = this.#roster.removeAll();
    this.#changed();
    await left;
  }

  #checkOpen(): void {
    if (this.#closing === undefined) return;
    throw new ToolUnavailableError("Tenon is closed or closing and takes no new calls.", {
      code: "RUNTIME_CLOSED",
      retryable: false,
      hint: "Create a new Tenon instance.",
    });
  }

  #changed(): void {
    this.#generation++;
    for (const listener of this.#changeListeners) attempt(listener, undefined);
  }

  #listed(filter: ListFilter): ToolEntry[] {
    checkKeys(filter, { toolset: true, includeDisabled: true }, "a list of tools");
    const { toolset, includeDisabled = false } = filter;
    const set = typeof toolset === "string" ? this.toolset(toolset) : toolset;
    return includeDisabled ? this.#resolver.all(set) : this.#resolver.listed(set);
  }

  #known(spec: string): readonly ToolEntry[] {
    const entries = this.#index.select(spec);
    if (entries.length === 0) throw this.#resolver.notFound(spec);
    return entries;
  }

  #remembered(spec: string): ToolEntry {
    const entry = this.#roster.recall(spec);
    if (entry === undefined) throw this.#resolver.notFound(spec);
    return entry;
  }
}
