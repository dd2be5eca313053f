import { settlesWithin } from "../../contract/system-clock.js";
import { ToolDefinitionError } from "../../contract/errors.js";
import type { Tool } from "../../contract/tool.js";
import type { LoadedPlugin } from "../../plugin/loaded-plugin.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
import type { Extensions } from "../catalogue/extensions.js";

/** Where plugins install their tools and extensions. */
export interface InstallTarget {
  readonly registry: ToolRegistry;
  readonly extensions: Extensions;
  /** Whether the configuration disabled a tool. */
  readonly isDisabled: (name: string) => boolean;
  /** The plugin that a tool's name or alias belongs to. */
  readonly owners: Map<string, string>;
  /** Removes the extensions of a plugin. */
  readonly removers: WeakMap<LoadedPlugin, () => void>;
}

/** How long the calls of an unloaded plugin may go on. */
const graceMs = 10_000;

/** Register a plugin's tools in place of its previous version; if one is refused, everything stays as it was. */
export function installPlugin(
  target: InstallTarget,
  fresh: LoadedPlugin,
  previous: LoadedPlugin | undefined,
): void {
  const { registry, owners } = target;
  if (previous === undefined) refuseSameName(target, fresh);
  refuseTakenTools(target, fresh);
  const before = new Map((previous?.tools ?? []).map((tool) => [tool.name, tool]));
  const rollback: (() => void)[] = [];
  try {
    const added = fresh.tools.filter(({ name }) => !before.has(name));
    if (added.length > 0) {
      registry.registerMany(added);
      rollback.push(() => added.forEach(({ name }) => void registry.unregister(name)));
    }
    for (const tool of fresh.tools) {
      const replaced = before.get(tool.name);
      if (replaced === undefined) continue;
      registry.replace(tool);
      rollback.push(() => registry.replace(replaced));
    }
    if (previous !== undefined) {
      target.removers.get(previous)?.();
      rollback.push(() => useExtensions(target, previous));
    }
    useExtensions(target, fresh);
  } catch (error) {
    for (const undo of rollback.toReversed()) undo();
    throw error;
  }
  const kept = new Set(fresh.tools.map(({ name }) => name));
  for (const name of before.keys()) if (!kept.has(name)) void registry.unregister(name);
  for (const [name, plugin] of owners) if (plugin === fresh.name) owners.delete(name);
  for (const name of fresh.tools.flatMap(namesOf)) owners.set(name, fresh.name);
  for (const { name } of fresh.tools)
    if (target.isDisabled(name)) registry.disable(name, "turned off in the configuration");
}

/** Unregister a plugin's tools and wait for their calls, for a limited time. */
export async function uninstallPlugin(target: InstallTarget, loaded: LoadedPlugin): Promise<void> {
  const { registry, owners } = target;
  target.removers.get(loaded)?.();
  const unregistered = loaded.tools
    .filter(({ name }) => owners.get(fold(name)) === loaded.name)
    .map(({ name }) => registry.unregister(name));
  for (const [name, plugin] of owners) if (plugin === loaded.name) owners.delete(name);
  await settlesWithin(Promise.all(unregistered), graceMs);
}

function useExtensions({ extensions, removers }: InstallTarget, loaded: LoadedPlugin): void {
  const added: (() => void)[] = [];
  const removeAll = (): void => added.forEach((remove) => remove());
  try {
    for (const extension of loaded.extensions) added.push(extensions.use(extension));
  } catch (error) {
    removeAll();
    throw error;
  }
  removers.set(loaded, removeAll);
}

/** A second plugin of the same name would own the first one's tools. */
function refuseSameName({ owners }: InstallTarget, { name }: LoadedPlugin): void {
  if (![...owners.values()].includes(name)) return;
  throw new ToolDefinitionError(`A plugin named "${name}" is already loaded from another file.`, {
    code: "NAME_TAKEN",
    hint: "Unload the other one first, or rename this one.",
  });
}

/** A tool of the same name would silently replace another plugin's or the host's. */
function refuseTakenTools({ registry, owners }: InstallTarget, { name: plugin, tools }: LoadedPlugin): void {
  for (const tool of tools) {
    for (const name of [tool.name, ...(tool.aliases ?? [])]) {
      const holder = registry.entry(name);
      const owner = owners.get(fold(name));
      if (holder === undefined || owner === plugin) continue;
      const user = owner === undefined ? "a tool outside any plugin" : `the plugin "${owner}"`;
      const shown = holder.name === name ? `"${name}"` : `"${name}" (an alias of "${holder.name}")`;
      throw new ToolDefinitionError(
        `Plugin "${plugin}" cannot be loaded: its tool "${tool.name}" needs the name ${shown}, which is used by ${user}.`,
        {
          code: "NAME_TAKEN",
          toolName: tool.name,
          hint: "Rename the tool, for example with a prefix.",
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
