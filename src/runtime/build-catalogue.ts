import { Metrics } from "../record/metrics.js";
import { ToolRegistry } from "../registry/tool-registry.js";
import type { ToolsetDefinition } from "../registry/toolsets.js";
import type { WorldParts } from "./build-world.js";
import { registerTools } from "./catalogue/built-in-tools.js";
import { refuseMisspelt, registerChains } from "./catalogue/check-tool-names.js";
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
  if (options.builtIns !== false) registerTools(registry, config.tools.native);
  if (options.tools !== undefined) registry.registerMany(options.tools);
  registerChains(config, registry, options.loaded);
  // A plugin may bring tools with similar names.
  if (config.plugins.length === 0) refuseMisspelt(config, registry, options.loaded);
  for (const [name, { enabled }] of Object.entries(config.tools.perTool)) {
    if (enabled === false && registry.has(name)) registry.disable(name, "turned off in the configuration");
  }
  for (const extension of options.extensions ?? []) extensions.use(extension);
  return { ...parts, metrics, registry, extensions, random, mcp, plugins };
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
