import { ToolDefinitionError } from "../contract/errors.js";
import type { ToolEntry } from "./tool-entry.js";

/** Finds the entry of a name or `name@range`. */
export type Lookup = (spec: string) => ToolEntry | undefined;

/** Everything a tool depends on, directly or not. */
export interface Needs {
  readonly entries: readonly ToolEntry[];
  /** The first dependency that is not there (any more). */
  readonly missing: string | undefined;
}

/** Collect what an entry depends on, transitively. */
export function collectNeeds(entry: ToolEntry, lookup: Lookup): Needs {
  const found = new Set<ToolEntry>();
  let missing: string | undefined;
  const queue = [entry];
  for (const dependent of queue) {
    for (const spec of dependent.dependsOn) {
      const dependency = lookup(spec);
      if (dependency === undefined) missing ??= spec;
      if (dependency === undefined || dependency === entry || found.has(dependency)) continue;
      found.add(dependency);
      queue.push(dependency);
    }
  }
  return { entries: [...found], missing };
}

/** Every entry that depends, directly or not, on one that is blocked or missing; one pass over all. */
export function findStranded(
  entries: readonly ToolEntry[],
  lookup: Lookup,
  isBlocked: (entry: ToolEntry) => boolean,
): ReadonlySet<ToolEntry> {
  const stranded = new Set<ToolEntry>();
  const dependents = new Map<ToolEntry, ToolEntry[]>();
  // A set can grow while it is walked: what is found on the way is visited, too.
  const found = new Set(entries.filter(({ dependsOn }) => dependsOn.length > 0));
  for (const entry of found) {
    for (const spec of entry.dependsOn) {
      const dependency = lookup(spec);
      if (dependency === undefined) {
        stranded.add(entry);
        continue;
      }
      found.add(dependency);
      const known = dependents.get(dependency);
      if (known === undefined) dependents.set(dependency, [entry]);
      else known.push(entry);
    }
  }
  for (const [dependency, above] of dependents) {
    if (isBlocked(dependency)) for (const entry of above) stranded.add(entry);
  }
  for (const entry of stranded) for (const above of dependents.get(entry) ?? []) stranded.add(above);
  return stranded;
}

/** Order new entries after what they depend on. Throws if a dependency is missing or, where it looks `deep`, on a cycle. */
export function orderByDependency(
  entries: readonly ToolEntry[],
  lookup: Lookup,
  { deep }: { readonly deep: boolean },
): ToolEntry[] {
  for (const entry of entries) {
    const missing = entry.calls.find((spec) => lookup(spec) === undefined);
    if (missing !== undefined) throw missingError(entry, missing);
  }
  if (!deep) return [...entries];
  const done = new Set<ToolEntry>();
  for (const start of entries) walk(start, lookup, done);
  const fresh = new Set(entries);
  return [...done].filter((entry) => fresh.has(entry));
}

/** Depth first, without recursion, because chains can be long; adds to `done` what depends on nothing that is not done. */
function walk(start: ToolEntry, lookup: Lookup, done: Set<ToolEntry>): void {
  if (done.has(start)) return;
  // The path from the start, each with the position of the dependency to look at next.
  const path = new Map<ToolEntry, number>([[start, 0]]);
  const trail = [start];
  for (let entry = trail.at(-1); entry !== undefined; entry = trail.at(-1)) {
    const position = path.get(entry) ?? 0;
    const spec = entry.calls[position];
    if (spec === undefined) {
      trail.pop();
      path.delete(entry);
      done.add(entry);
      continue;
    }
    path.set(entry, position + 1);
    const dependency = lookup(spec);
    // An older tool may have lost its dependency since; only that tool is unavailable then.
    if (dependency === undefined || done.has(dependency)) continue;
    if (path.has(dependency)) throw cycleError(trail, dependency);
    path.set(dependency, 0);
    trail.push(dependency);
  }
}

function missingError(entry: ToolEntry, spec: string): ToolDefinitionError {
  return new ToolDefinitionError(`Tool "${entry.name}" depends on "${spec}", which is not registered.`, {
    code: "DEPENDENCY_MISSING",
    toolName: entry.name,
    hint: "Register it first, or both together with registerMany.",
  });
}

function cycleError(trail: readonly ToolEntry[], again: ToolEntry): ToolDefinitionError {
  const cycle = [...trail.slice(trail.indexOf(again)), again].map(({ name }) => name).join(" -> ");
  return new ToolDefinitionError(`Tools depend on each other in a cycle: ${cycle}.`, {
    code: "DEPENDENCY_CYCLE",
    toolName: again.name,
    hint: "Remove one of these dependencies.",
  });
}
