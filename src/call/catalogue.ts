import type { Catalogue } from "../contract/ports/catalogue.js";
import { describeEntry } from "../registry/describe-entry.js";
import type { Call } from "./call.js";

/** The tools that the agent of a call can see: what is not in its toolset does not exist here either. */
export function catalogueOf(call: Call): Catalogue {
  const { registry, search } = call.parts;
  const { toolset } = call.origin;
  return {
    search: (text, { category, limit = 10 } = {}) =>
      search.search(text, { category, limit, visible: (entry) => toolset?.has(entry) ?? true }),
    describe: (name) => describeEntry(registry.resolve(name, { sessionId: call.session.id, toolset })),
  };
}
