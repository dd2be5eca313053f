import type { ResolvedConfig } from "../config/resolve-config.js";
import type { EventName, TenonEvent, TenonEvents } from "../contract/events.js";
import type { HealthReport } from "../contract/lifecycle.js";
import type { PathVerdict } from "../contract/ports/files.js";
import type { SessionOptions, ToolCaller } from "../contract/tenon.js";
import type { Policy } from "../policy/create-policy.js";
import type { Metrics } from "../record/metrics.js";
import type { Optimiser } from "../record/optimiser.js";
import type { ToolLike } from "../registry/accept-tool.js";
import type { ToolEntry } from "../registry/tool-entry.js";
import type { ToolRegistry } from "../registry/tool-registry.js";
import type { SchedulerStats } from "../scheduler/scheduler.js";
import type { Session } from "./session.js";
import type { TaskContext } from "./tasks.js";
import type { Undo } from "./undo.js";

/** A running Tenon. Its own `call` and the like use a session that belongs to nobody else. */
export interface Tenon extends ToolCaller {
  readonly config: ResolvedConfig;
  readonly registry: ToolRegistry;
  readonly metrics: Metrics;
  readonly policy: Policy;
  readonly optimiser: Optimiser;
  readonly paths: { check(path: string, access?: "read" | "write"): PathVerdict };
  readonly undo: Undo;
  /** Register a tool: short for `registry.register`. */
  register(tool: ToolLike): ToolEntry;
  /** Open a session: one agent with its own toolset, environment and read state. */
  createSession(options?: SessionOptions): Session;
  /** What was done for a task. */
  task(taskId: string): TaskContext | undefined;
  on<N extends EventName>(name: N, listener: (payload: TenonEvents[N]) => void): () => void;
  onAny(listener: (event: TenonEvent) => void): () => void;
  /** One tool, or the whole. */
  health(name?: string): Promise<HealthReport>;
  stats(): SchedulerStats;
  /** Take no new calls, let running ones end, free everything. Calls that outlive `graceMs` are cancelled. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
