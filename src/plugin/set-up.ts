import { withinTime } from "../contract/system-clock.js";
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
    cleanup = await withinTime(
      () => plugin.setup?.({ ...given, signal: life.signal }),
      timeoutMs,
      () => pluginError(plugin.name, [`its setup did not end within ${timeoutMs} ms`]),
    );
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
