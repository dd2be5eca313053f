import type { ResolvedConfig } from "../config/resolve-config.js";
import type { EventName, TenonEvent, TenonEvents } from "../contract/events.js";
import type { Extension } from "../contract/extension.js";
import type { PluginInfo, PluginOptions } from "../contract/plugin.js";
import type { HealthReport } from "../contract/lifecycle.js";
import type { PathVerdict } from "../contract/ports/files.js";
import type {
  ChangeRecord,
  HistoryQuery,
  UndoneFile,
  UndoOptions,
  UndoPreview,
} from "../contract/ports/journal.js";
import type { WorkStores } from "../contract/ports/store.js";
import type { SessionOptions, ToolCaller } from "../contract/tenon.js";
import type { ToolPrompt } from "../llm/tool-prompt.js";
import type { ListedRule, Policy } from "../policy/create-policy.js";
import type { PolicyRule } from "../policy/policy-rule.js";
import type { Metrics } from "../record/metrics.js";
import type { Optimiser } from "../record/optimiser.js";
import type { ToolLike } from "../registry/accept-tool.js";
import type { ToolEntry } from "../registry/tool-entry.js";
import type { ToolRegistry } from "../registry/tool-registry.js";
import type { SchedulerStats } from "../scheduler/scheduler.js";
import type { ApprovalDesk } from "./approvals/approval-desk.js";
import type { TenonAudit } from "./audit/runtime-audit.js";
import type { ExtensionInfo } from "./catalogue/extensions.js";
import type { RuntimeServers } from "./gateway/runtime-servers.js";
import type { ReplayOptions, ReplayReport } from "./replay/replay-task.js";
import type { Reflection, ReflectOptions } from "./tasks/reflect.js";
import type { CallResult, ResultOptions } from "./calls/results.js";
import type { Session } from "./sessions/session.js";
import type { SessionPromptOptions } from "./sessions/session-prompt.js";
import type { TaskContext } from "./tasks/tasks.js";
import type { ToolReport } from "./catalogue/tool-report.js";
import type { Quarantine } from "../contract/ports/quarantine.js";
import type { UndoTarget } from "./journal/undo-target.js";
import type { SandboxFact } from "../world/sandbox/sandbox-types.js";

/** What waits for a person's consent, and the way to answer it. */
export type TenonApprovals = Pick<
  ApprovalDesk,
  "waiting" | "elsewhere" | "answer" | "outcome" | "announce" | "leave"
>;

/** A running Tenon. Its own `call` and the like use a session that belongs to nobody else. */
export interface Tenon extends ToolCaller {
  readonly config: ResolvedConfig;
  readonly registry: ToolRegistry;
  readonly metrics: Metrics;
  readonly policy: Policy;
  readonly optimiser: Optimiser;
  /** MCP servers behind this Tenon: those of the configuration and those connected in code. */
  readonly mcp: RuntimeServers;
  /** The log of calls: every call of every process on this workspace. */
  readonly audit: TenonAudit;
  /** Calls that wait for consent, in this process and in others on the same state. */
  readonly approvals: TenonApprovals;
  readonly paths: { check(path: string, access?: "read" | "write"): PathVerdict };
  /** What the workspace's agents keep together, as a person sees it: in the newest iteration. */
  readonly work: WorkStores;
  /** How files are held: by descriptor, without a race, or by name. */
  readonly guardKind: "descriptor" | "portable";
  /** What holds commands, and the way to get what is missing; the first call builds a sandbox to see. */
  sandboxFacts(): Promise<readonly SandboxFact[]>;
  /** Changes that were held back from commands, because other programs would run or obey them later. */
  readonly quarantine: Quarantine;
  /** Register a tool: short for `registry.register`. */
  register(tool: ToolLike): ToolEntry;
  /** Add an extension and return the function that removes it; a name that is in use is refused. */
  use(extension: Extension): () => void;
  /** The extensions in use, in the order in which their hooks are called. */
  extensions(): readonly ExtensionInfo[];
  /** Load a plugin from a file, a folder or a package, in its own process unless `inProcess` is set. */
  loadPlugin(path: string, options?: PluginOptions): Promise<PluginInfo>;
  /** Remove a plugin's tools, let its calls finish and end its process. */
  unloadPlugin(name: string): Promise<void>;
  /** Load a plugin from disk again; no call is lost, and if it fails the old version stays. */
  reloadPlugin(name: string): Promise<PluginInfo>;
  /** The plugins that are loaded, failed or disabled. */
  plugins(): readonly PluginInfo[];
  /** An id for a call to come: sent as the request's `id`, it becomes the `callId`. */
  newCallId(): string;
  /** The answer of a call, also where its connection was lost or the process was restarted; or that it still runs. */
  result(callId: string, options?: ResultOptions): Promise<CallResult | undefined>;
  /** Open a session: one agent with its own toolset, environment and read state. */
  createSession(options?: SessionOptions): Session;
  /** Open a session that outlives the process: what it sets in its environment is kept under its name. */
  openNamedSession(name: string, options?: SessionOptions): Promise<Session>;
  /** Keep a rule of the policy beyond this process, as "always" does; returns its id. */
  remember(rule: PolicyRule): Promise<string>;
  /** Take over the rules that other processes on this state remembered and revoked meanwhile. */
  syncRules(): Promise<void>;
  /** Rules that were given for one session, in whichever process it is. */
  sessionRules(): Promise<readonly ListedRule[]>;
  /** Forget a remembered rule, or one of a session. */
  revoke(id: string): Promise<boolean>;
  /** Take back what file changes did: the last one of a path, or all of a call, of a task or since a time. */
  undo(what: UndoTarget, options?: UndoOptions): Promise<readonly UndoneFile[]>;
  /** What `undo` would do, without doing it. */
  previewUndo(what: UndoTarget, options?: UndoOptions): Promise<UndoPreview>;
  /** Stop a call that runs or waits, by its id, with all that it started; `false` where no such call is on its way. */
  cancel(callId: string, reason?: string): boolean;
  /** Nobody is there to take the answer of this call: it goes on, but what it asks people is withdrawn. */
  callerGone(callId: string): void;
  /** Run a recorded task again on a copy of the workspace, and compare the results. */
  replay(taskId: string, options?: ReplayOptions): Promise<ReplayReport>;
  /** The changes that can be taken back, newest first. */
  history(query?: HistoryQuery): Promise<readonly ChangeRecord[]>;
  /** What was done for a task, by all processes that worked on it. */
  task(taskId: string): Promise<TaskContext | undefined>;
  /** Look back on a task: complete, to be continued, or to be planned anew, and what its failures teach. */
  reflect(taskId: string, options?: ReflectOptions): Promise<Reflection>;
  /** The system prompt with the tools that an agent sees, for models without tool calling of their own. */
  prompt(options?: SessionPromptOptions): ToolPrompt;
  on<N extends EventName>(name: N, listener: (payload: TenonEvents[N]) => void): () => void;
  onAny(listener: (event: TenonEvent) => void): () => void;
  /** One tool, or the whole. */
  health(name?: string): Promise<HealthReport>;
  stats(): SchedulerStats;
  /** How the tools did by the log, in all processes; the most called first. */
  toolReport(query?: { readonly since?: number; readonly tool?: string }): Promise<readonly ToolReport[]>;
  /** Resolves when what an earlier run left behind is taken up; the first call waits for it by itself. */
  ready(): Promise<void>;
  /** Check the state of this workspace from end to end. */
  checkState(): Promise<{
    readonly ok: boolean;
    readonly problems: readonly string[];
    readonly dir: string;
    /** Damaged databases that were set aside and lie there still. */
    readonly damaged: readonly string[];
  }>;
  /** Take no new calls, let running ones end, free everything. Calls that outlive `graceMs` are cancelled. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
