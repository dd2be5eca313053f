import type { Catalogue } from "../contract/ports/catalogue.js";
import { describeEntry } from "../registry/describe-entry.js";
import type { Toolset } from "../registry/toolsets.js";
import type { CallState } from "./call-state.js";

/** The tools that the agent of a call can see: tools outside its toolset do not exist here either. */
export function catalogueOf(state: CallState): Catalogue {
  const { registry, search } = state.parts;
  const toolset = visibleTo(state);
  return {
    search: (text, { category, limit = 10 } = {}) =>
      search.search(text, { category, limit, visible: (entry) => toolset?.has(entry) ?? true }),
    describe: (name) => describeEntry(registry.resolve(name, { sessionId: state.session.id, toolset })),
  };
}

/** The part of the toolset that the session's host is shown; tools may still call others of the toolset. */
export function visibleTo({ origin: { toolset }, session: { sees } }: CallState): Toolset | undefined {
  if (sees === undefined) return toolset;
  return { name: toolset?.name ?? "all", has: (entry) => sees(entry.name) && toolset?.has(entry) !== false };
}
