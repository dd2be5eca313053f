import { ToolDefinitionError } from "../contract/errors.js";
import type { ToolEntry } from "./tool-entry.js";

/** Finds the entry of a name or `name@range`. */
export type Lookup = (spec: string) => ToolEntry | undefined;

/** Everything a tool stands on, directly or not. */
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

/**
 * Order new entries so that each follows what it depends on; otherwise they keep their order.
 * Throws where a dependency is missing or the way leads in a circle. No recursion: chains can be long.
 */
export function orderByDependency(entries: readonly ToolEntry[], lookup: Lookup): ToolEntry[] {
  const fresh = new Set(entries);
  const ordered: ToolEntry[] = [];
  const done = new Set<ToolEntry>();
  for (const start of entries) {
    const path: { readonly entry: ToolEntry; next: number }[] = [];
    const open = new Set<ToolEntry>();
    const enter = (entry: ToolEntry): void => {
      path.push({ entry, next: 0 });
      open.add(entry);
    };
    if (!done.has(start)) enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const spec = top.entry.dependsOn[top.next++];
      if (spec === undefined) {
        path.pop();
        open.delete(top.entry);
        done.add(top.entry);
        if (fresh.has(top.entry)) ordered.push(top.entry);
        continue;
      }
      const dependency = lookup(spec);
      // An older tool may have lost its dependency since: it is unavailable, nobody else's fault.
      if (dependency === undefined && fresh.has(top.entry)) throw missingError(top.entry, spec);
      if (dependency === undefined || done.has(dependency)) continue;
      if (open.has(dependency)) throw cycleError(path.map(({ entry }) => entry), dependency);
      enter(dependency);
    }
  }
  return ordered;
}

function missingError(entry: ToolEntry, spec: string): ToolDefinitionError {
  return new ToolDefinitionError(`Tool "${entry.name}" depends on "${spec}", which is not registered.`, {
    code: "DEPENDENCY_MISSING",
    toolName: entry.name,
    hint: "Register it first, or both together with registerMany.",
  });
}

function cycleError(path: readonly ToolEntry[], again: ToolEntry): ToolDefinitionError {
  const circle = [...path.slice(path.indexOf(again)), again].map(({ name }) => name).join(" -> ");
  return new ToolDefinitionError(`Tools depend on each other in a circle: ${circle}.`, {
    code: "DEPENDENCY_CYCLE",
    toolName: again.name,
    hint: "Break the circle.",
  });
}
