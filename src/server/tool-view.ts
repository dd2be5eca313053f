import type { Tool } from "../contract/tool.js";
import { createBuiltInTools } from "../runtime/built-in-tools.js";
import type { Tenon } from "../runtime/tenon.js";
import type { ToolDetail, ToolRow } from "./api.js";
import { notFound } from "./api-fault.js";

/** A tool as a line of the list; nothing is run for it. */
export function toRow({ registry }: Tenon, name: string): ToolRow | undefined {
  const entry = registry.entry(name);
  const described = registry.describe(name);
  if (entry === undefined || described === undefined) return undefined;
  const block = entry.block();
  return {
    name: entry.name,
    version: entry.version,
    versions: registry.versions(entry.name).all,
    aliases: entry.aliases,
    category: described.category,
    description: described.description,
    annotations: described.annotations,
    state: entry.state,
    health:
      block === undefined
        ? { status: "healthy", message: "Nothing is known to be wrong." }
        : { status: "unhealthy", message: `It ${block.reason}.` },
    enabled: entry.disabledBecause === undefined,
    origin: originOf(entry.tool),
  };
}

/** All of a tool; its health check is run. */
export async function toDetail(tenon: Tenon, name: string): Promise<ToolDetail> {
  const row = toRow(tenon, name);
  const described = tenon.registry.describe(name);
  if (row === undefined || described === undefined) throw notFound(`tool "${name}"`);
  const { status, message } = await tenon.health(row.name);
  return {
    ...row,
    health: { status, message },
    inputSchema: described.inputSchema,
    outputSchema: described.outputSchema,
    examples: (described.examples ?? []).map(({ description, arguments: input }) => ({
      title: description,
      input,
    })),
    history: tenon.registry.history(row.name),
  };
}

/** Where a tool comes from, as far as it shows. */
function originOf({ name, category }: Tool): string {
  const at = name.indexOf(":");
  if (category === "mcp" && at > 0) return `mcp:${name.slice(0, at)}`;
  return isBuiltIn(name) ? "built-in" : "code";
}

const isBuiltIn = ((): ((name: string) => boolean) => {
  let names: Set<string> | undefined; // made when first asked for
  return (name) => (names ??= new Set(createBuiltInTools().map((tool) => tool.name))).has(name);
})();
