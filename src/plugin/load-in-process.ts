import { settlesWithin } from "../contract/system-clock.js";
import type { Extension } from "../contract/extension.js";
import type { PluginOptions } from "../contract/plugin.js";
import type { ToolContext } from "../contract/context.js";
import type { Log } from "../contract/ports/log.js";
import type { Tool, ToolProgress } from "../contract/tool.js";
import { ToolError } from "../contract/errors.js";
import { checkPlugin, type AcceptTool } from "./check-plugin.js";
import type { FoundPlugin } from "./find-plugin.js";
import { importError } from "./import-error.js";
import { loadModule } from "./load-module.js";
import type { LoadedPlugin } from "./loaded-plugin.js";
import { defaultTimeoutMs } from "./open-plugin-connection.js";
import { setUp } from "./set-up.js";
import { extensionData, hookNames, pickMembers, toolData, toolMethods } from "./protocol.js";
import { fromWireError, toWireError } from "./wire-error.js";
import { isGenerator, isThenable } from "../contract/is-thenable.js";

export interface InProcessDeps {
  readonly accept: AcceptTool;
  readonly packages: Readonly<Record<string, string>>;
  readonly workspace: string;
  readonly log: Log;
}

/** Load a plugin into this process: nothing holds it here, so it must be trusted as this program itself is. */
export async function loadInProcess(
  found: FoundPlugin,
  options: PluginOptions,
  parts: InProcessDeps,
): Promise<LoadedPlugin> {
  const { timeoutMs = defaultTimeoutMs, options: own = {} } = options;
  let exported: unknown;
  try {
    exported = await loadModule(found.file, { root: found.root, packages: parts.packages, fresh: true });
  } catch (error) {
    throw importError(found.label, error);
  }
  const plugin = checkPlugin(exported, found.label, parts.accept);
  const { workspace, log } = parts;
  const close = await setUp(plugin, { options: own, workspace, log, timeoutMs });
  const running = new RunningCalls();
  return {
    name: plugin.name,
    version: plugin.version,
    description: plugin.description,
    tools: plugin.tools.map(({ tool }) => running.counted(tool)),
    extensions: (plugin.extensions as unknown as readonly Extension[]).map(withOwnErrors),
    pid: undefined,
    idle: (graceMs) => running.idle(graceMs),
    close,
  };
}

/** Counts the calls of a plugin's tools, so that it is not cleaned up under them. */
class RunningCalls {
  #count = 0;
  #onIdle: (() => void) | undefined;

  counted(tool: Tool): Tool {
    const execute = (input: unknown, ctx: ToolContext): unknown => {
      this.#count++;
      try {
        const running = tool.execute(input, ctx);
        if (isGenerator(running)) return this.#drained(running);
        if (!isThenable(running)) {
          this.#end();
          return running;
        }
        return running.then(
          (value) => {
            this.#end();
            return value;
          },
          (error: unknown) => {
            this.#end();
            throw toOwnError(error);
          },
        );
      } catch (error) {
        this.#end();
        throw toOwnError(error);
      }
    };
    return { ...boundTo(tool), execute } as Tool;
  }

  async *#drained(running: AsyncGenerator<ToolProgress | string, unknown, void>) {
    try {
      return yield* running;
    } catch (error) {
      throw toOwnError(error);
    } finally {
      this.#end();
    }
  }

  async idle(graceMs: number): Promise<void> {
    if (this.#count === 0) return;
    await settlesWithin(new Promise<void>((resolve) => (this.#onIdle = resolve)), graceMs);
  }

  #end(): void {
    if (--this.#count === 0) this.#onIdle?.();
  }
}

/** Methods keep the very object that they were written for: it may have private fields. */
function boundTo(tool: Tool): Partial<Tool> {
  const data = [...toolData, "input", "output"] as const;
  const entries = [
    ...data.map((key) => [key, tool[key]] as const),
    ...[...toolMethods, "prepare" as const].map((key) => [key, tool[key]?.bind(tool)] as const),
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Hooks keep their own object, too; a refusal that one throws must be known as one. */
function withOwnErrors(extension: Extension): Extension {
  const members: Record<string, unknown> = pickMembers(extension, [
    ...extensionData,
    ...hookNames,
    "extendTool",
  ]);
  for (const [name, member] of Object.entries(members))
    if (typeof member === "function") members[name] = withOwnErrorsOf(member.bind(extension));
  return members as unknown as Extension;
}

function withOwnErrorsOf(hook: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
  return (...args) => {
    try {
      const running = hook(...args);
      if (!isThenable(running)) return running;
      return running.then(undefined, (error: unknown) => {
        throw toOwnError(error);
      });
    } catch (error) {
      throw toOwnError(error);
    }
  };
}

/** A plugin has its own copy of the error classes; they are known by their shape. */
function toOwnError(error: unknown): unknown {
  if (error instanceof ToolError) return error;
  const wire = toWireError(error);
  return wire.details?.["unexpected"] === true ? error : fromWireError(wire);
}
