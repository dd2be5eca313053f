import type { Tool } from "../contract/tool.js";
import { createBuiltInTools } from "../runtime/catalogue/built-in-tools.js";
import type { DefinitionTokens } from "../runtime/catalogue/definition-tokens.js";
import type { Tenon } from "../runtime/tenon.js";
import type { ToolDetail, ToolRow } from "./api.js";
import { notFound } from "./http-error.js";

export type OriginOf = (tool: Tool) => string;

export interface ToolViews {
  readonly tenon: Tenon;
  readonly originOf: OriginOf;
  readonly definitionTokens: DefinitionTokens;
}

/** A tool as a line of the list; nothing is run for it. */
export function toRow(views: ToolViews, name: string): ToolRow | undefined {
  const { originOf, definitionTokens } = views;
  const { registry } = views.tenon;
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
        ? { status: "healthy", message: "No problems are known." }
        : { status: "unhealthy", message: `It ${block.reason}.` },
    enabled: entry.disabledBecause === undefined,
    definitionTokens: definitionTokens(entry.name) ?? 0,
    origin: originOf(entry.tool),
  };
}

/** All of a tool; its health check is run. */
export async function toDetail(views: ToolViews, name: string): Promise<ToolDetail> {
  const { tenon } = views;
  const row = toRow(views, name);
  const described = tenon.registry.describe(name);
  if (row === undefined || described === undefined) throw notFound(`Tool "${name}"`);
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

/** Where tools come from, as far as it shows. */
export function createOrigins(tenon: Tenon): OriginOf {
  const builtIn = new Set(createBuiltInTools().map((tool) => tool.name));
  return ({ name, category }) => {
    const at = name.indexOf(":");
    if (category === "mcp" && at > 0) return `mcp:${name.slice(0, at)}`;
    if (builtIn.has(name)) return "built-in";
    const plugin = tenon.plugins().find(({ tools }) => tools.includes(name));
    if (plugin !== undefined) return `plugin:${plugin.name}`;
    return Object.hasOwn(tenon.config.chains, name) ? "config" : "code";
  };
}
