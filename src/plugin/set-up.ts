import type { PluginCleanup } from "../contract/plugin.js";
import type { Log } from "../contract/ports/log.js";
import type { CheckedPlugin } from "./check-plugin.js";
import { describeValue, pluginError } from "./plugin-error.js";

export interface SetupOptions {
  readonly options: Readonly<Record<string, unknown>>;
  readonly workspace: string;
  readonly log: Log;
  readonly timeoutMs: number;
}

/** Let a plugin set itself up within its time; gives what undoes it. */
export async function setUp(plugin: CheckedPlugin, parts: SetupOptions): Promise<() => Promise<void>> {
  const { timeoutMs, ...given } = parts;
  const life = new AbortController();
  let cleanup: unknown;
  try {
    cleanup = await withinTime(plugin, timeoutMs, plugin.setup?.({ ...given, signal: life.signal }));
  } catch (error) {
    life.abort(error);
    if ((error as { code?: unknown } | null)?.code === "PLUGIN_INVALID") throw error;
    const what = error instanceof Error ? `${error.name}: ${error.message}` : describeValue(error);
    throw pluginError(plugin.name, [`its setup failed: ${what}`], error);
  }
  if (cleanup !== undefined && typeof cleanup !== "function") {
    throw pluginError(plugin.name, [
      `its setup must return nothing or a function that cleans up, found ${describeValue(cleanup)}`,
    ]);
  }
  return async () => {
    life.abort();
    await (cleanup as PluginCleanup | undefined)?.();
  };
}

async function withinTime(plugin: CheckedPlugin, timeoutMs: number, running: unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(pluginError(plugin.name, [`its setup did not end within ${timeoutMs} ms`])),
      Math.min(timeoutMs, 2 ** 31 - 1),
    );
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}
