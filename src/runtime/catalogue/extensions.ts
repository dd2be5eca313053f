import type { ActiveExtension, ExtensionHooks } from "../../call/extensions.js";
import { messageOf } from "../../contract/message-of.js";
import { ToolDefinitionError } from "../../contract/errors.js";
import type { Extension } from "../../contract/extension.js";
import type { Tool } from "../../contract/tool.js";
import type { EventBus } from "../../record/event-bus.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
import { checkExtension, type CheckedExtension } from "./check-extension.js";

/** An extension that is in use. */
export type ExtensionInfo = Pick<CheckedExtension, "name" | "version" | "description" | "priority">;

/** The extensions of a runtime: they can be added and removed while calls run. */
export interface Extensions {
  readonly hooks: ExtensionHooks;
  /** Add an extension; returns the function that removes it. */
  use(extension: Extension, config?: Readonly<Record<string, unknown>>): () => void;
  list(): readonly ExtensionInfo[];
}

interface ExtensionDeps {
  readonly registry: ToolRegistry;
  readonly events: EventBus;
}

/** Start without extensions; a call then pays for one check of an `undefined` field. */
export function createExtensions(deps: ExtensionDeps): Extensions {
  const hooks: ExtensionHooks = { execute: undefined, complete: undefined };
  const wrapper = createWrapper(deps, () => ordered);
  const watcher = createRegistryWatcher(deps, () => ordered, wrapper.wrap);
  /** The highest priority first; equal ones in the order of registration. */
  let ordered: readonly CheckedExtension[] = [];
  const set = (next: readonly CheckedExtension[], changed: CheckedExtension): void => {
    ordered = next.toSorted((one, other) => other.priority - one.priority);
    hooks.execute = withHook(ordered, "onToolExecute");
    hooks.complete = withHook(ordered, "onToolComplete");
    watcher.refresh();
    if (changed.extendTool !== undefined) wrapper.wrapAll();
  };
  return {
    hooks,
    use(given, config) {
      const extension = checkExtension(given, config);
      if (ordered.some(({ name }) => name === extension.name)) {
        throw new ToolDefinitionError(`An extension named "${extension.name}" is already in use.`, {
          code: "EXTENSION_INVALID",
          hint: "Remove it first, with the function that tenon.use() returned.",
        });
      }
      set([...ordered, extension], extension);
      return () => {
        const others = ordered.filter((one) => one !== extension);
        if (others.length < ordered.length) set(others, extension);
      };
    },
    list: () =>
      ordered.map(({ name, version, description, priority }) => ({ name, version, description, priority })),
  };
}

function withHook(
  extensions: readonly CheckedExtension[],
  hook: "onToolExecute" | "onToolComplete",
): readonly ActiveExtension[] | undefined {
  const active = extensions.filter((extension) => extension[hook] !== undefined);
  return active.length === 0 ? undefined : active;
}

/** Registers what extensions make of tools, always starting from the tool as it was registered. */
function createWrapper({ registry, events }: ExtensionDeps, extensions: () => readonly CheckedExtension[]) {
  const originals = new WeakMap<Tool, Tool>();
  const wrap = (tool: Tool): void => {
    const original = originals.get(tool) ?? tool;
    let extended = original;
    for (const extension of extensions()) {
      if (extension.extendTool === undefined || !extension.fits(original)) continue;
      try {
        extended = requireSameName(extension.extendTool(extended, extension.config) ?? extended, original);
      } catch (cause) {
        reportFault(events, `${extension.name}:extendTool`, cause);
      }
    }
    if (extended === tool) return;
    if (extended !== original) originals.set(extended, original);
    try {
      registry.replace(extended);
    } catch (cause) {
      reportFault(events, `extendTool:${original.name}`, cause);
    }
  };
  return { wrap, wrapAll: () => registry.list({ includeDisabled: true }).forEach(wrap) };
}

function requireSameName(extended: Tool, { name, version }: Tool): Tool {
  if (typeof extended === "object" && extended.name === name && extended.version === version) return extended;
  throw new TypeError(`it must return a tool with the same name and version as "${name}"`);
}

/** Notifies extensions of tools that are registered and unregistered, while at least one of them has such a hook. */
function createRegistryWatcher(
  { registry, events }: ExtensionDeps,
  extensions: () => readonly CheckedExtension[],
  wrap: (tool: Tool) => void,
) {
  const known = new Map<string, Tool>();
  let stop: (() => void) | undefined;
  const notify = (tool: Tool, hook: "onToolRegister" | "onToolUnregister"): void => {
    for (const extension of extensions()) {
      if (extension[hook] === undefined || !extension.fits(tool)) continue;
      const onFault = (cause: unknown): void => reportFault(events, `${extension.name}:${hook}`, cause);
      try {
        const answer: unknown = extension[hook](tool);
        Promise.resolve(answer).catch(onFault);
      } catch (cause) {
        onFault(cause);
      }
    }
  };
  const listen = (): (() => void) => {
    for (const tool of registry.list({ includeDisabled: true }))
      known.set(keyOf(tool.name, tool.version), tool);
    const stopRegistered = events.on("TOOL_REGISTERED", ({ toolName, version }) => {
      const tool = registry.get(`${toolName}@${version}`) ?? registry.get(toolName);
      if (tool === undefined) return;
      known.set(keyOf(toolName, version), tool);
      notify(tool, "onToolRegister");
      wrap(tool);
    });
    const stopUnregistered = events.on("TOOL_UNREGISTERED", ({ toolName, version }) => {
      const key = keyOf(toolName, version);
      const tool = known.get(key) ?? known.get(keyOf(toolName, undefined));
      known.delete(key);
      if (tool !== undefined) notify(tool, "onToolUnregister");
    });
    return () => {
      stopRegistered();
      stopUnregistered();
      known.clear();
    };
  };
  return {
    refresh() {
      const isNeeded = extensions().some(
        ({ onToolRegister, onToolUnregister, extendTool }) =>
          onToolRegister ?? onToolUnregister ?? extendTool,
      );
      if (isNeeded) stop ??= listen();
      else stop = stop?.() as undefined;
    },
  };
}

function keyOf(name: string, version: string | undefined): string {
  return `${name}@${version ?? "1.0.0"}`;
}

function reportFault(events: EventBus, source: string, cause: unknown): void {
  events.emit("LISTENER_FAILED", { event: `extension:${source}`, message: messageOf(cause) });
}
