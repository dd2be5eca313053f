import type { ResolvedConfig } from "../config/resolve-config.js";
import type { EventName, TenonEvent, TenonEvents } from "../contract/events.js";
import type { Extension } from "../contract/extension.js";
import type { SandboxTrial } from "./world/observe-program.js";
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
import type { Quotas } from "../registry/quotas.js";
import type { ToolRegistry } from "../registry/tool-registry.js";
import type { SchedulerStats } from "../scheduler/scheduler.js";
import type { ApprovalDesk } from "./approvals/approval-desk.js";
import type { Actor } from "./audit/audited-action.js";
import type { TenonAudit } from "./audit/runtime-audit.js";
import type { ExtensionInfo } from "./catalogue/extensions.js";
import type { RuntimeServers } from "./gateway/runtime-servers.js";
import type { SimulateOptions, Simulation } from "./replay/simulate-rules.js";
import type { ReplayOptions, ReplayReport } from "./replay/replay-task.js";
import type { Reflection, ReflectOptions } from "./tasks/reflect.js";
import type { CallResult, ResultOptions } from "./calls/results.js";
import type { Session } from "./sessions/session.js";
import type { SessionPromptOptions } from "./sessions/session-prompt.js";
import type { TaskContext } from "./tasks/tasks.js";
import type { ToolReport } from "./catalogue/tool-report.js";
import type { AccessStore } from "../contract/ports/access.js";
import type { SecretStore } from "../contract/ports/secrets.js";
import type { WaitingLayers } from "../contract/ports/layers.js";
import type { ConnectionRow } from "../world/forwarder/network-activity.js";
import type { PersonJobs } from "./sessions/person-jobs.js";
import type { Quarantine } from "../contract/ports/quarantine.js";
import type { UndoTarget } from "./journal/undo-target.js";
import type { SandboxFact } from "../world/sandbox/sandbox-types.js";

/** Calls that wait for consent, and how to answer them. */
export type TenonApprovals = Pick<
  ApprovalDesk,
  "waiting" | "elsewhere" | "answer" | "outcome" | "announce" | "leave"
>;

/** How a path is judged. */
export interface PathCheckOptions {
  /** @default "read" */
  readonly access?: "read" | "write" | undefined;
  /** Follow symbolic links. @default true */
  readonly links?: boolean | undefined;
}

/** What people do besides calling tools; the log says who did it. */
export type PersonActs = Pick<
  Tenon,
  | "access"
  | "secrets"
  | "remember"
  | "revoke"
  | "undo"
  | "previewUndo"
  | "history"
  | "quarantine"
  | "layers"
  | "jobs"
>;

/** A running Tenon. Its own `call` and related methods use a private session. */
export interface Tenon extends ToolCaller {
  readonly config: ResolvedConfig;
  readonly registry: ToolRegistry;
  readonly metrics: Metrics;
  readonly policy: Policy;
  readonly optimiser: Optimiser;
  /** The MCP servers of this Tenon: those of the configuration and those added in code. */
  readonly mcp: RuntimeServers;
  /** The log of calls: every call of every process on this workspace. */
  readonly audit: TenonAudit;
  /** Calls that wait for consent, in this process and in others on the same state. */
  readonly approvals: TenonApprovals;
  readonly paths: {
    /** Whether a path may be used. With `links: false`, its text alone is judged: nothing is looked up, and links are not followed. */
    check(path: string, how?: "read" | "write" | PathCheckOptions): PathVerdict;
  };
  /** The stores that the agents of the workspace share, for a person: in the newest iteration. */
  readonly work: WorkStores;
  /** The same as a principal sees it: its own memories, and those that are shared with all. */
  workOf(principal: string): WorkStores;
  /** How files are guarded: by descriptor, without races, or by path. */
  readonly guardKind: "descriptor" | "portable";
  /** What confines commands, and how to get what is missing; the first call builds a sandbox to check. */
  sandboxFacts(): Promise<readonly SandboxFact[]>;
  /** Changes of commands that were held back, because other programs would later run them or load them as configuration. */
  readonly quarantine: Quarantine;
  /** The background jobs of all sessions, for a person. */
  readonly jobs: PersonJobs;
  /** What commands, MCP servers and plugins reach over the network through the sandbox, and reached lately. */
  connections(): readonly ConnectionRow[];
  /** Changes of commands that were kept on a layer and not committed. */
  readonly layers: WaitingLayers;
  /** The people and programs that may come in over HTTP, and their tokens. */
  readonly access: AccessStore;
  /** Secrets for MCP servers, by user and endpoint. Values can be stored, but not read. */
  readonly secrets: SecretStore;
  /** The same acts in the name of somebody else, such as a user of `tenon serve`; the log has their name. */
  as(actor: Actor): PersonActs;
  /** The limits on calls (`tools.quotas`, `endpoints.*.limits`), as far as calls were counted. */
  readonly limits: Pick<Quotas, "uses" | "tightest">;
  /** Register a tool: short for `registry.register`. */
  register(tool: ToolLike): ToolEntry;
  /** Add an extension and return the function that removes it; a name that is in use is refused. */
  use(extension: Extension, config?: Readonly<Record<string, unknown>>): () => void;
  /** The same as `use`. */
  registerExtension(extension: Extension, config?: Readonly<Record<string, unknown>>): () => void;
  /** The extensions in use, in the order in which their hooks are called. */
  extensions(): readonly ExtensionInfo[];
  /** Load a plugin from a file, a folder or a package, in its own process unless `inProcess` is set. */
  loadPlugin(path: string, options?: PluginOptions): Promise<PluginInfo>;
  /** Load a plugin in the sandbox once, without its tools, and find out what it tries to use. */
  tryPlugin(path: string, options: PluginOptions): Promise<SandboxTrial>;
  /** Remove a plugin's tools, let its calls finish and end its process. */
  unloadPlugin(name: string): Promise<void>;
  /** Load a plugin from disk again; no call is lost, and if it fails the old version stays. */
  reloadPlugin(name: string): Promise<PluginInfo>;
  /** The plugins that are loaded, failed or disabled. */
  plugins(): readonly PluginInfo[];
  /**
   * An id for a later call: sent as the request's `id`, it becomes the `callId`.
   * @param given An id that another process of a fleet made; it must be unique.
   */
  newCallId(given?: string): string;
  /** The answer of a call, even if its connection was lost or the process was restarted; or that it is running. */
  result(callId: string, options?: ResultOptions): Promise<CallResult | undefined>;
  /** Open a session: one agent with its own toolset, environment and read state. */
  createSession(options?: SessionOptions): Session;
  /** Open a session that outlives the process: its environment is stored under its name. */
  openNamedSession(name: string, options?: SessionOptions): Promise<Session>;
  /** Save a rule beyond this process, as "always" does; returns its id. */
  remember(rule: PolicyRule): Promise<string>;
  /** Apply the rules that other processes on this state have saved and revoked. */
  syncRules(): Promise<void>;
  /** Rules for single sessions, in all processes. */
  sessionRules(): Promise<readonly ListedRule[]>;
  /** Remove a saved rule, or a rule of a session. */
  revoke(id: string): Promise<boolean>;
  /** Undo file changes: the last one of a path, or all of a call, of a task or since a time. */
  undo(what: UndoTarget, options?: UndoOptions): Promise<readonly UndoneFile[]>;
  /** What `undo` would do, without doing it. */
  previewUndo(what: UndoTarget, options?: UndoOptions): Promise<UndoPreview>;
  /** Cancel a running or waiting call by its id, with everything it started; `false` if there is none. */
  cancel(callId: string, reason?: string): boolean;
  /** The caller of this call is gone: the call continues, but its questions to people are withdrawn. */
  callerGone(callId: string): void;
  /** Run a recorded task again on a copy of the workspace, and compare the results. */
  replay(taskId: string, options?: ReplayOptions): Promise<ReplayReport>;
  /** What other rules would have decided about past calls; runs nothing and changes no rule. */
  simulate(options?: SimulateOptions): Promise<Simulation>;
  /** The changes that can be undone, newest first. */
  history(query?: HistoryQuery): Promise<readonly ChangeRecord[]>;
  /** What was done for a task, by all processes that worked on it. */
  task(taskId: string): Promise<TaskContext | undefined>;
  /** Assess a task: complete, to be continued or to be replanned, with lessons from its failures. */
  reflect(taskId: string, options?: ReflectOptions): Promise<Reflection>;
  /** The system prompt with the tools that an agent sees, for models without tool calling. */
  prompt(options?: SessionPromptOptions): ToolPrompt;
  on<N extends EventName>(name: N, listener: (payload: TenonEvents[N]) => void): () => void;
  onAny(listener: (event: TenonEvent) => void): () => void;
  /** The health of one tool, or of all. */
  health(name?: string): Promise<HealthReport>;
  stats(): SchedulerStats;
  /** Statistics of the tools from the log of all processes; the most called first. */
  toolReport(query?: { readonly since?: number; readonly tool?: string }): Promise<readonly ToolReport[]>;
  /** Resolves when the start is done, such as recovery after an earlier run; the first call waits for it by itself. */
  ready(): Promise<void>;
  /** Check the whole state of this workspace. */
  checkState(): Promise<{
    readonly ok: boolean;
    readonly problems: readonly string[];
    readonly dir: string;
    /** Damaged databases that were moved aside and still exist. */
    readonly damaged: readonly string[];
    /** Times whose rows are gone, because the database was restored from a backup while the log went on. */
    readonly lost: readonly { readonly from: number; readonly until: number; readonly foundAt: number }[];
  }>;
  /** Refuse new calls, wait for running ones and release everything. Calls that run longer than `graceMs` are cancelled. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
