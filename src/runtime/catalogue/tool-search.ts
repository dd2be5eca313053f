import type { ToolRegistry } from "../../registry/tool-registry.js";
import { ToolSearch } from "../../registry/tool-search.js";

/** A search over all tools of a registry; who may see which is told with each question. */
export function createToolSearch(registry: ToolRegistry): ToolSearch {
  return new ToolSearch({
    get generation() {
      return registry.generation;
    },
    entries: () => registry.list().flatMap(({ name }) => registry.entry(name) ?? []),
  });
}
