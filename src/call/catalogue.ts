import type { Catalogue } from "../contract/ports/catalogue.js";
import { describeEntry } from "../registry/describe-entry.js";
import type { Toolset } from "../registry/toolsets.js";
import type { Call } from "./call.js";

/** The tools that the agent of a call can see: what is not in its toolset does not exist here either. */
export function catalogueOf(call: Call): Catalogue {
  const { registry, search } = call.parts;
  const toolset = visibleTo(call);
  return {
    search: (text, { category, limit = 10 } = {}) =>
      search.search(text, { category, limit, visible: (entry) => toolset?.has(entry) ?? true }),
    describe: (name) => describeEntry(registry.resolve(name, { sessionId: call.session.id, toolset })),
  };
}

/** Of the toolset, what the session's host is shown: tools still call each other beyond that. */
export function visibleTo({ origin: { toolset }, session: { sees } }: Call): Toolset | undefined {
  if (sees === undefined) return toolset;
  return { name: toolset?.name ?? "all", has: (entry) => sees(entry.name) && toolset?.has(entry) !== false };
}
