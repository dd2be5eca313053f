import { ToolDefinitionError } from "../../contract/errors.js";
import type { Tool } from "../../contract/tool.js";
import type { LoadedPlugin } from "../../plugin/loaded-plugin.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
import type { Extensions } from "../catalogue/extensions.js";

/** Where plugins' tools stand. */
export interface Shelf {
  readonly registry: ToolRegistry;
  readonly extensions: Extensions;
  /** Whether the configuration switched a tool off. */
  readonly isOff: (name: string) => boolean;
  /** Which plugin a tool's name or alias came from. */
  readonly owners: Map<string, string>;
}

/** How long calls of an unloaded plugin may go on. */
const graceMs = 10_000;

/**
 * Put a plugin's tools into the registry, in the place of those of its former self: running calls end on
 * the old ones, new ones see the new. Where one is refused, everything stays as it was.
 */
export function installPlugin(shelf: Shelf, fresh: LoadedPlugin, old: LoadedPlugin | undefined): void {
  const { registry, owners } = shelf;
  if (old === undefined) refuseNamesake(shelf, fresh);
  refuseTaken(shelf, fresh);
  const before = new Map((old?.tools ?? []).map((tool) => [tool.name, tool]));
  const done: (() => void)[] = [];
  try {
    const added = fresh.tools.filter(({ name }) => !before.has(name));
    if (added.length > 0) {
      registry.registerMany(added);
      done.push(() => added.forEach(({ name }) => void registry.unregister(name)));
    }
    for (const tool of fresh.tools) {
      const former = before.get(tool.name);
      if (former === undefined) continue;
      registry.replace(tool);
      done.push(() => registry.replace(former));
    }
    for (const { name } of old?.extensions ?? []) shelf.extensions.unuse(name);
    done.push(() => useAll(shelf, old));
    useAll(shelf, fresh);
  } catch (error) {
    for (const undo of done.toReversed()) undo();
    throw error;
  }
  const kept = new Set(fresh.tools.map(({ name }) => name));
  for (const name of before.keys()) if (!kept.has(name)) void registry.unregister(name);
  for (const [name, plugin] of owners) if (plugin === fresh.name) owners.delete(name);
  for (const name of fresh.tools.flatMap(namesOf)) owners.set(name, fresh.name);
  for (const { name } of fresh.tools)
    if (shelf.isOff(name)) registry.disable(name, "the configuration says so");
}

/** Take a plugin's tools away; waits for their calls, but not for ever. */
export async function uninstallPlugin(shelf: Shelf, loaded: LoadedPlugin): Promise<void> {
  const { registry, extensions, owners } = shelf;
  for (const { name } of loaded.extensions) extensions.unuse(name);
  const left = loaded.tools
    .filter(({ name }) => owners.get(fold(name)) === loaded.name)
    .map(({ name }) => registry.unregister(name));
  for (const [name, plugin] of owners) if (plugin === loaded.name) owners.delete(name);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)));
  await Promise.race([Promise.all(left), late]);
  clearTimeout(timer);
}

function useAll({ extensions }: Shelf, loaded: LoadedPlugin | undefined): void {
  const used: string[] = [];
  try {
    for (const extension of loaded?.extensions ?? []) {
      extensions.use(extension);
      used.push(extension.name);
    }
  } catch (error) {
    for (const name of used) extensions.unuse(name);
    throw error;
  }
}

/** What calls itself like a plugin that is there would own that one's tools. */
function refuseNamesake({ owners }: Shelf, { name }: LoadedPlugin): void {
  if (![...owners.values()].includes(name)) return;
  throw new ToolDefinitionError(`There is a plugin named "${name}" already, from another file.`, {
    code: "NAME_TAKEN",
    hint: "Unload the other one first, or give this one another name.",
  });
}

/** Another version of a tool that somebody else brought would take its place in silence. */
function refuseTaken({ registry, owners }: Shelf, { name: plugin, tools }: LoadedPlugin): void {
  for (const tool of tools) {
    for (const name of [tool.name, ...(tool.aliases ?? [])]) {
      const holder = registry.entry(name);
      const owner = owners.get(fold(name));
      if (holder === undefined || owner === plugin) continue;
      const whose = owner === undefined ? "a tool that is no plugin's" : `the plugin "${owner}"`;
      const shown = holder.name === name ? `"${name}"` : `"${name}" (an alias of "${holder.name}")`;
      throw new ToolDefinitionError(
        `Plugin "${plugin}" cannot be loaded: its tool "${tool.name}" wants the name ${shown}, which ${whose} has.`,
        {
          code: "NAME_TAKEN",
          toolName: tool.name,
          hint: "Give the tool another name, with a prefix of your own.",
        },
      );
    }
  }
}

function namesOf({ name, aliases = [] }: Tool): string[] {
  return [name, ...aliases].map(fold);
}

function fold(name: string): string {
  return name.toLowerCase();
}
