import type { ActiveExtension, ExtensionHooks } from "../../call/extensions.js";
import { messageOf } from "../../contract/message-of.js";
import { ToolDefinitionError } from "../../contract/errors.js";
import type { Extension } from "../../contract/extension.js";
import type { Tool } from "../../contract/tool.js";
import type { EventBus } from "../../record/event-bus.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
import { checkExtension, type CheckedExtension } from "./check-extension.js";

/** What is known of an extension that is there. */
export type ExtensionInfo = Pick<CheckedExtension, "name" | "version" | "description" | "priority">;

/** The extensions of a runtime: they come and go while calls run. */
export interface Extensions {
  readonly hooks: ExtensionHooks;
  use(extension: Extension): void;
  unuse(name: string): boolean;
  list(): readonly ExtensionInfo[];
}

interface Parts {
  readonly registry: ToolRegistry;
  readonly events: EventBus;
}

/** Begin with none; then a call pays for one look at a field that is `undefined`. */
export function createExtensions(parts: Parts): Extensions {
  const { registry } = parts;
  const hooks: ExtensionHooks = { execute: undefined, complete: undefined };
  const wrapper = createWrapper(parts, () => ordered);
  const news = createNews(parts, () => ordered, wrapper);
  /** The highest priority first; equal ones as they came. */
  let ordered: readonly CheckedExtension[] = [];
  const set = (next: readonly CheckedExtension[]): void => {
    ordered = next.toSorted((one, other) => other.priority - one.priority);
    hooks.execute = having(ordered, "onToolExecute");
    hooks.complete = having(ordered, "onToolComplete");
    news.refresh();
  };
  return {
    hooks,
    use(given) {
      const extension = checkExtension(given);
      if (ordered.some(({ name }) => name === extension.name)) {
        throw new ToolDefinitionError(`There is an extension named "${extension.name}" already.`, {
          code: "EXTENSION_INVALID",
          hint: `Remove it first: tenon.unuse("${extension.name}").`,
        });
      }
      set([...ordered, extension]);
      if (extension.extendTool !== undefined) wrapper.wrapAll(registry);
    },
    unuse(name) {
      const gone = ordered.find((extension) => extension.name === name);
      if (gone === undefined) return false;
      set(ordered.filter((extension) => extension !== gone));
      if (gone.extendTool !== undefined) wrapper.wrapAll(registry);
      return true;
    },
    list: () =>
      ordered.map(({ name, version, description, priority }) => ({ name, version, description, priority })),
  };
}

function having(
  extensions: readonly CheckedExtension[],
  hook: "onToolExecute" | "onToolComplete",
): readonly ActiveExtension[] | undefined {
  const active = extensions.filter((extension) => extension[hook] !== undefined);
  return active.length === 0 ? undefined : active;
}

interface Wrapper {
  wrap(tool: Tool): void;
  wrapAll(registry: ToolRegistry): void;
}

/** Puts what extensions make of tools in their places, always beginning with the tool as it was registered. */
function createWrapper({ registry, events }: Parts, extensions: () => readonly CheckedExtension[]): Wrapper {
  const bases = new WeakMap<Tool, Tool>();
  const wrap = (tool: Tool): void => {
    const base = bases.get(tool) ?? tool;
    let extended = base;
    for (const extension of extensions()) {
      if (extension.extendTool === undefined || !extension.fits(base)) continue;
      try {
        extended = sameName(extension.extendTool(extended) ?? extended, base);
      } catch (cause) {
        reportFault(events, extension, { hook: "extendTool", cause });
      }
    }
    if (extended === tool) return;
    if (extended !== base) bases.set(extended, base);
    try {
      registry.replace(extended);
    } catch (cause) {
      events.emit("LISTENER_FAILED", {
        event: `extension:extendTool:${base.name}`,
        message: messageOf(cause),
      });
    }
  };
  return { wrap, wrapAll: (tools) => tools.list({ includeDisabled: true }).forEach(wrap) };
}

function sameName(extended: Tool, { name, version }: Tool): Tool {
  if (typeof extended === "object" && extended.name === name && extended.version === version) return extended;
  throw new TypeError(`it must give a tool of the same name and version as "${name}"`);
}

/** Tells extensions of tools that come and go, as long as somebody wants to know. */
function createNews(
  { registry, events }: Parts,
  extensions: () => readonly CheckedExtension[],
  wrapper: Wrapper,
) {
  const known = new Map<string, Tool>();
  let stop: (() => void) | undefined;
  const tell = (tool: Tool, hook: "onToolRegister" | "onToolUnregister"): void => {
    for (const extension of extensions()) {
      if (extension[hook] === undefined || !extension.fits(tool)) continue;
      try {
        const answer: unknown = extension[hook](tool);
        Promise.resolve(answer).catch((cause: unknown) => reportFault(events, extension, { hook, cause }));
      } catch (cause) {
        reportFault(events, extension, { hook, cause });
      }
    }
  };
  const listen = (): (() => void) => {
    for (const tool of registry.list({ includeDisabled: true }))
      known.set(keyOf(tool.name, tool.version), tool);
    const came = events.on("TOOL_REGISTERED", ({ toolName, version }) => {
      const tool = registry.get(`${toolName}@${version}`) ?? registry.get(toolName);
      if (tool === undefined) return;
      known.set(keyOf(toolName, version), tool);
      tell(tool, "onToolRegister");
      wrapper.wrap(tool);
    });
    const left = events.on("TOOL_UNREGISTERED", ({ toolName, version }) => {
      const key = keyOf(toolName, version);
      const tool = known.get(key) ?? known.get(keyOf(toolName, undefined));
      known.delete(key);
      if (tool !== undefined) tell(tool, "onToolUnregister");
    });
    return () => {
      came();
      left();
      known.clear();
    };
  };
  return {
    refresh() {
      const wanted = extensions().some(
        ({ onToolRegister, onToolUnregister, extendTool }) =>
          onToolRegister ?? onToolUnregister ?? extendTool,
      );
      if (wanted) stop ??= listen();
      else stop = stop?.() as undefined;
    },
  };
}

function keyOf(name: string, version: string | undefined): string {
  return `${name}@${version ?? "1.0.0"}`;
}

function reportFault(
  events: EventBus,
  { name }: CheckedExtension,
  { hook, cause }: { readonly hook: string; readonly cause: unknown },
): void {
  events.emit("LISTENER_FAILED", { event: `extension:${name}:${hook}`, message: messageOf(cause) });
}
