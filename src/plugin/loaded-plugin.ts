import type { Extension } from "../contract/extension.js";
import type { Tool } from "../contract/tool.js";

/** A plugin that is there and can be registered, wherever it runs. */
export interface LoadedPlugin {
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  readonly tools: readonly Tool[];
  readonly extensions: readonly Extension[];
  readonly pid: number | undefined;
  /** Wait until none of its calls runs, at most so long. */
  idle(graceMs: number): Promise<void>;
  /** Clean up and free everything. */
  close(reason: string): Promise<void>;
}
