import { ConfigError } from "../config/config-error.js";
import type { ResolvedConfig } from "../config/resolve-config.js";
import { Metrics } from "../record/metrics.js";
import { misspeltTool } from "../registry/misspelt-tool.js";
import { ToolRegistry } from "../registry/tool-registry.js";
import type { ToolsetDefinition } from "../registry/toolsets.js";
import type { WorldParts } from "./build-world.js";
import { createTools } from "./catalogue/built-in-tools.js";
import { chainTools } from "./catalogue/chains.js";
import { createExtensions } from "./catalogue/extensions.js";
import { createMcpServers } from "./gateway/runtime-servers.js";
import { Plugins } from "./plugins/plugins.js";

/** The third builder: the registry and everything that puts tools into it. */
export function buildCatalogue(parts: WorldParts) {
  const { options, config, clock, events } = parts;
  const metrics = new Metrics({ monotonic: clock.monotonic, hostUse });
  const registry = createRegistry(parts, metrics);
  const extensions = createExtensions({ registry, events });
  const random = options.random ?? Math.random;
  const background = options.jobs !== false && options.startServers !== false;
  const { programs } = parts.world;
  const mcp = createMcpServers({ ...parts, registry, random, background, programs });
  const plugins = new Plugins({ ...parts, registry, extensions, programs, now: clock.now });
  if (options.builtIns !== false) registry.registerMany(createTools(config.tools.native));
  if (options.tools !== undefined) registry.registerMany(options.tools);
  registry.registerMany(chainTools(config.chains));
  // A plugin may bring tools with similar names.
  if (config.plugins.length === 0) refuseMisspelt(config, registry);
  for (const [name, { enabled }] of Object.entries(config.tools.perTool)) {
    if (enabled === false && registry.has(name)) registry.disable(name, "turned off in the configuration");
  }
  for (const extension of options.extensions ?? []) extensions.use(extension);
  return { ...parts, metrics, registry, extensions, random, mcp, plugins };
}

/** Settings of a tool that does not exist would be ignored, and a list that names it would lack the right one. */
function refuseMisspelt({ tools, toolsets }: ResolvedConfig, registry: ToolRegistry): void {
  const names: [path: string, name: string][] = Object.keys(tools.perTool).map((name) => [
    `tools.perTool.${name}`,
    name,
  ]);
  const lists = [
    ...tools.enabled.map((list) => ["tools.enabled", list] as const),
    ...Object.entries(toolsets).map(([set, list]) => [`toolsets.${set}`, list] as const),
  ];
  for (const [path, list] of lists) {
    for (const rule of list)
      if (typeof rule === "string") names.push([`${path}: ${rule}`, rule.replace(/^!/, "")]);
  }
  const problems = names.flatMap(([path, name]) => {
    const suggestion = misspeltTool(registry, name);
    return suggestion === undefined
      ? []
      : [{ file: "configuration", path, message: "unknown tool", suggestion }];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}

/** What `buildCatalogue` made, on top of the world. */
export type CatalogueParts = ReturnType<typeof buildCatalogue>;

function createRegistry({ options, config, clock, events }: WorldParts, metrics: Metrics): ToolRegistry {
  return new ToolRegistry({
    clock,
    emit: (name, payload) => {
      if (events.has(name)) events.emit(name, payload);
    },
    isHeard: events.has.bind(events),
    callStats: () => metrics.callStats(),
    toolsets: config.toolsets as Readonly<Record<string, ToolsetDefinition>>,
    ...(options.health !== undefined && { health: options.health }),
  });
}

function hostUse(): { memoryBytes: number; cpuMs: number } {
  const { user, system } = process.cpuUsage();
  return { memoryBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1000 };
}
