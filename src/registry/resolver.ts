import { ToolNotFoundError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import { nearest } from "../schema/nearest.js";
import { type Block, toUnavailable } from "./block.js";
import { type Needs, collectNeeds, findStranded } from "./dependencies.js";
import type { Family, NameIndex } from "./name-index.js";
import type { ToolEntry } from "./tool-entry.js";
import { shorten, splitSpec } from "./tool-name.js";
import type { Toolset } from "./toolsets.js";

export interface ResolveView {
  /** Decides the arm of an experiment. */
  readonly sessionId: string;
  /** @default everything */
  readonly toolset?: Toolset | undefined;
}

const maxCachedNeeds = 100;

/** Finds the one entry that a name means, or says why there is none. */
export class Resolver {
  readonly #index: NameIndex;
  readonly #clock: Pick<Clock, "now">;
  readonly #needs = new WeakMap<ToolEntry, { readonly revision: number; readonly needs: Needs }>();

  constructor(index: NameIndex, clock: Pick<Clock, "now">) {
    this.#index = index;
    this.#clock = clock;
  }

  /** The hot path: one map lookup and a few flags. Everything unusual takes the slow path. */
  resolve(name: string, view: ResolveView): ToolEntry {
    const family = this.#index.names.get(name) ?? this.#index.family(name);
    if (family !== undefined && family.experiment === undefined) {
      const entry = family.current;
      if (entry.open && (view.toolset === undefined || view.toolset.has(entry))) return entry;
    }
    return this.#resolveSlowly(name, family, view);
  }

  /** Why an entry cannot be used, its dependencies included. */
  block(entry: ToolEntry, toolset?: Toolset): Block | undefined {
    if (entry.open) return undefined;
    const own = entry.block();
    return own ?? (entry.dependsOn.length === 0 ? undefined : this.#dependencyBlock(entry, toolset));
  }

  /** The default versions that a listing shows: what can be used, or is out for a while only. */
  listed(toolset?: Toolset): ToolEntry[] {
    const off = (entry: ToolEntry): boolean => !entry.open && entry.block()?.code === "TOOL_DISABLED";
    const entries = this.all(toolset);
    const stranded = findStranded(entries, (spec) => this.#index.lookup(spec), off);
    const usable = entries.filter((entry) => !off(entry) && !stranded.has(entry));
    const replaced = new Set(usable.flatMap(({ tool }) => tool.replaces ?? []));
    if (replaced.size === 0) return usable;
    // Of two providers' own tools, each stays.
    return usable.filter(({ name, tool }) => tool.native !== undefined || !replaced.has(name));
  }

  /** The default version of every tool, usable or not; where the toolset hides it, the first that it shows. */
  all(toolset?: Toolset): ToolEntry[] {
    const entries: ToolEntry[] = [];
    for (const family of this.#index.families()) {
      const shown = shownVersion(family, toolset);
      if (shown !== undefined) entries.push(shown);
    }
    return entries;
  }

  /** The error for an unknown name; hidden tools get the same one. */
  notFound(name: string, toolset?: Toolset): ToolNotFoundError {
    // The name of a request can be anything.
    const wanted = typeof name === "string" ? name : `(${typeof name})`;
    const versions = this.#visibleVersions(wanted, toolset);
    const near =
      versions.length > 0 ? undefined : nearest(splitSpec(wanted).name, this.#visibleNames(toolset));
    const guess = near === undefined ? "List the tools to see which exist." : `Did you mean "${near}"?`;
    const hint = versions.length > 0 ? `Available versions: ${versions.join(", ")}.` : guess;
    return new ToolNotFoundError(shorten(wanted), { hint });
  }

  #resolveSlowly(name: string, family: Family | undefined, view: ResolveView): ToolEntry {
    const { toolset } = view;
    const entry = family === undefined ? this.#index.lookup(name) : choose(family, view);
    if (entry === undefined || toolset?.has(entry) === false) throw this.notFound(name, toolset);
    const block = this.block(entry, toolset);
    if (block !== undefined) throw toUnavailable(entry.name, block, this.#clock.now());
    return entry;
  }

  #dependencyBlock(entry: ToolEntry, toolset: Toolset | undefined): Block | undefined {
    const { entries, missing } = this.#needsOf(entry);
    if (missing !== undefined) {
      // A tool that is gone cannot be checked against the toolset, so its name is not shown to an agent with one.
      const which = toolset === undefined ? `"${missing}"` : "a tool";
      return {
        code: "TOOL_DISABLED",
        reason: `is unavailable: it depends on ${which}, which is not registered`,
      };
    }
    for (const dependency of entries) {
      const block = dependency.block();
      if (block === undefined) continue;
      const which = toolset?.has(dependency) === false ? "a tool" : `"${dependency.name}"`;
      return { ...block, reason: `is unavailable: it depends on ${which}, which ${block.reason}` };
    }
    return undefined;
  }

  #needsOf(entry: ToolEntry): Needs {
    const known = this.#needs.get(entry);
    const { revision } = this.#index;
    if (known?.revision === revision) return known.needs;
    const needs = collectNeeds(entry, (spec) => this.#index.lookup(spec));
    // Long lists are not cached: a chain of tools would take the square of its length.
    if (needs.entries.length <= maxCachedNeeds) this.#needs.set(entry, { revision, needs });
    return needs;
  }

  #visibleVersions(wanted: string, toolset: Toolset | undefined): string[] {
    const { name, range } = splitSpec(wanted);
    const family = range === undefined ? undefined : this.#index.family(name);
    const versions = family?.versions ?? [];
    return versions.filter((entry) => toolset?.has(entry) !== false).map(({ version }) => version);
  }

  *#visibleNames(toolset: Toolset | undefined): Iterable<string> {
    for (const { name, aliases } of this.listed(toolset)) {
      yield name;
      yield* aliases;
    }
  }
}

/** The session's arm of an experiment, or the default where there is none or the arm is hidden. */
function choose(family: Family, { sessionId, toolset }: ResolveView): ToolEntry | undefined {
  const arm = family.experiment?.pick(sessionId);
  return arm === undefined || toolset?.has(arm) === false ? shownVersion(family, toolset) : arm;
}

function shownVersion({ current, versions }: Family, toolset: Toolset | undefined): ToolEntry | undefined {
  if (toolset === undefined || toolset.has(current)) return current;
  return versions.find((version) => toolset.has(version));
}
