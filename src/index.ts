export { runAgent } from "./agent/run-agent.js";
export type { AgentEvent, AgentOptions, AgentResult, AgentStop } from "./agent/agent-types.js";
export type { AgentTranscript, TranscriptCall, TranscriptStep } from "./agent/transcript.js";
export type {
  ChainComparison,
  ChainCondition,
  ChainDefinition,
  ChainScope,
  ChainStep,
  ChainValue,
} from "./compose/chain-types.js";
export { defineChain } from "./compose/define-chain.js";
export { defineConfig, type TenonConfig } from "./config/config-schema.js";
export { ConfigError } from "./config/config-error.js";
export { loadConfig, type LoadedConfig, type LoadOptions } from "./config/load-config.js";
export type {
  AccessDecision,
  CallMetadata,
  ContentPart,
  ToolEnvelope,
  ToolRequest,
} from "./contract/call.js";
export type { ToolContext } from "./contract/context.js";
export { defineTool } from "./contract/define-tool.js";
export { errorCodes, type ErrorCode } from "./contract/error-codes.js";
export type {
  CompleteNotes,
  ExecuteVerdict,
  Extension,
  ExtensionFilter,
  HookCall,
} from "./contract/extension.js";
export { extendTool, type ExtendToolConfig, type StricterAnnotations } from "./contract/extend-tool.js";
export {
  ToolCancelledError,
  ToolDefinitionError,
  ToolError,
  ToolExecutionError,
  ToolInternalError,
  ToolNotFoundError,
  ToolPermissionError,
  ToolResourceNotFoundError,
  ToolSecurityError,
  ToolTimeoutError,
  ToolUnavailableError,
  ToolValidationError,
  type ErrorInfo,
  type ToolErrorOptions,
} from "./contract/errors.js";
export type { EventName, TenonEvent, TenonEvents } from "./contract/events.js";
export type { JsonSchema } from "./contract/json.js";
export { toolStates, type HealthReport, type StateChange, type ToolState } from "./contract/lifecycle.js";
export type {
  AccessStore,
  Identity,
  Login,
  NamedToken,
  NewLoginRules,
  PrincipalQuery,
  TokenQuery,
  NewToken,
  Principal,
  Role,
} from "./contract/ports/access.js";
export type { NewSecret, SecretInfo, SecretRef, SecretScope, SecretStore } from "./contract/ports/secrets.js";
export type {
  Answer,
  ApprovalAnswer,
  ApprovalAnswerer,
  Approver,
  ApprovalChannel,
  ApprovalRequest,
  ApprovalResolution,
  ApprovalRule,
  ClientInfo,
  InteractBackend,
  Question,
} from "./contract/ports/interact.js";
export type {
  PluginCleanup,
  PluginDefinition,
  PluginEntry,
  PluginInfo,
  PluginOptions,
  PluginSetup,
  PluginState,
} from "./contract/plugin.js";
export type {
  CommandChange,
  CommandConflict,
  CommitReport,
  HeldChange,
  LayerView,
  WaitingChange,
  WaitingLayer,
  WaitingLayers,
} from "./contract/ports/layers.js";
export type { HeldBack, HeldItem, HeldView, Quarantine } from "./contract/ports/quarantine.js";
export type { CallRecord, Recorder } from "./contract/ports/recorder.js";
export type { Resource, Resources } from "./contract/resources.js";
export type {
  Infer,
  SchemaSource,
  StandardIssue,
  StandardJsonSchema,
  StandardResult,
  StandardSchema,
  ToolParameter,
} from "./contract/schema-source.js";
export type { SessionOptions, StreamItem, ValidationResult } from "./contract/tenon.js";
export {
  securityLevels,
  toolCategories,
  type PermissionResult,
  type SecurityLevel,
  type Tool,
  type ToolAnnotations,
  type ToolCategory,
  type ToolDescription,
  type ToolPreview,
  type ToolProgress,
} from "./contract/tool.js";
export {
  parseToolCalls,
  type ParsedText,
  type ParsedToolCall,
  type ParseOptions,
  type ParseProblem,
} from "./llm/parse/parse-tool-calls.js";
export { printToolCall, type PrintableCall, type PromptFormat } from "./llm/print-tool-call.js";
export type { LLMFormat, LLMTools, LLMToolsOptions } from "./llm/to-llm-tools.js";
export {
  generateToolsPrompt,
  ToolPromptGenerator,
  type PromptTool,
  type ToolPrompt,
  type ToolPromptOptions,
} from "./llm/tool-prompt.js";
export type {
  OnStop,
  OpenUpstream,
  Upstream,
  UpstreamCall,
  UpstreamResult,
  UpstreamSpec,
  UpstreamTool,
} from "./contract/ports/upstream.js";
export { openUpstream } from "./mcp/client/open-upstream.js";
export type { McpServers, ServerSettings, ServerView } from "./mcp/gateway/gateway-types.js";
export { wrapMCPTool, type WrapOptions } from "./mcp/gateway/wrap-mcp-tool.js";
export { definePlugin } from "./plugin/define-plugin.js";
export type { PolicyRule } from "./policy/policy-rule.js";
export type { Advice } from "./record/optimiser.js";
export { prometheusContentType, renderPrometheus, type PrometheusOptions } from "./record/prometheus.js";
export type { ToolMetrics } from "./record/tool-metrics.js";
export type { RegistryOptions } from "./registry/registry-options.js";
export { ToolRegistry } from "./registry/tool-registry.js";
export type { ToolsetDefinition } from "./registry/toolsets.js";
export {
  builtInTools,
  type BuiltInTool,
  type BuiltInToolValues,
} from "./runtime/catalogue/built-in-tool-values.js";
export { createMcpHost, type McpHostOptions } from "./runtime/mcp-host/create-mcp-host.js";
export { serveStdio, type ServeStdioOptions, type StdioStream } from "./runtime/mcp-host/serve-stdio.js";
export { createTenon } from "./runtime/create-tenon.js";
export type { TenonOptions } from "./runtime/tenon-options.js";
export { pinoLog, type PinoLogOptions } from "./runtime/log/pino-log.js";
export type { Actor } from "./runtime/audit/audited-action.js";
export type { CallResult, ResultOptions } from "./runtime/calls/results.js";
export { reflect, type Reflection, type ReflectOptions, type ToolFailure } from "./runtime/tasks/reflect.js";
export type { Session } from "./runtime/sessions/session.js";
export type { TelemetryOptions } from "./runtime/log/telemetry.js";
export type { TaskContext } from "./runtime/tasks/tasks.js";
export type { PathCheckOptions, PersonActs, Tenon } from "./runtime/tenon.js";
export type { InteractCallbacks } from "./world/interact/callback-backend.js";

// Types that the signatures above mention.
export type { AnswerCut, ModelAnswer, WantedCall } from "./agent/agent-types.js";
export type { AnswerOutcome, FirstAnswer, GivenAnswer } from "./call/consent-desk.js";
export type { ExplainedChange, ExplainOptions, Explained } from "./call/explain.js";
export type {
  ChainTemplate,
  FunctionStep,
  ParallelSteps,
  StepRetry,
  ToolStep,
} from "./compose/chain-types.js";
export type { ConfigProblem } from "./config/config-error.js";
export type { Environment } from "./config/interpolate.js";
export type { ConfigSource, RuleGroup } from "./config/load-config.js";
export type { UntrustedConfig } from "./config/load-workspace.js";
export type { ResolvedConfig } from "./config/resolve-config.js";
export type { BuiltInToolName, BuiltInTools } from "./contract/built-in-types.js";
export type { CallSummary, FailedCall, SucceededCall } from "./contract/call.js";
export type { NestedCallOptions, NestedRequest } from "./contract/context.js";
export type { DefinedTool, ToolDefinition } from "./contract/define-tool.js";
export type {
  CompletionRequest,
  CompletionResult,
  HostAnswer,
  CallStop,
  HostCall,
  HostChange,
  HostPrompt,
  HostPromptResult,
  HostPrompts,
  HostResource,
  HostResourceContent,
  HostResourceTemplate,
  HostResources,
  HostScope,
  HostSession,
  HostSessionOptions,
  HostTool,
  McpHost,
  PromptProvider,
  ResourceProvider,
} from "./contract/host.js";
export type { Json } from "./contract/json.js";
export type { PluginLimits } from "./contract/plugin.js";
export type { RecordedChange } from "./contract/ports/actor.js";
export type { ConsoleReach } from "./contract/ports/approval.js";
export type {
  Artifact,
  ArtifactFilter,
  ArtifactName,
  ArtifactSelector,
  ArtifactStore,
  ArtifactSummary,
  ArtifactVersion,
} from "./contract/ports/artifacts.js";
export type {
  AuditAlert,
  AuditHead,
  AuditLog,
  AuditOutcome,
  AuditGroup,
  AuditQuery,
  AuditTally,
  AuditUsage,
  AuditRecord,
  AuditStart,
  AuditVerdict,
  UsageRange,
  UsageSeries,
  UsageTotals,
  InterruptedEffects,
} from "./contract/ports/audit.js";
export type { Catalogue, FoundTool } from "./contract/ports/catalogue.js";
export type { ClientConnection, ElicitAnswer, RequestExtras } from "./contract/ports/client.js";
export type { Clock } from "./contract/ports/clock.js";
export type {
  CodeAnswer,
  CodeIndexState,
  CodeMatch,
  CodeQuery,
  CodeQueryType,
  CodeSearch,
} from "./contract/ports/code.js";
export type { SessionEnv } from "./contract/ports/env.js";
export type {
  DirectoryEntry,
  EntryType,
  FileMutation,
  FileSplice,
  FileStat,
  Files,
  LentFile,
  OpenFile,
  PathVerdict,
  ReadRange,
  WalkBatch,
  WalkEntry,
  WriteOptions,
} from "./contract/ports/files.js";
export type { Http, HttpRequest, HttpResponse } from "./contract/ports/http.js";
export type { Asker, Interact } from "./contract/ports/interact.js";
export type {
  ChangeRecord,
  ChangeSelector,
  HistoryQuery,
  UndoOptions,
  UndoPreview,
  UndoneFile,
} from "./contract/ports/journal.js";
export type { Log, LogLevel } from "./contract/ports/log.js";
export type {
  FoundMemory,
  Memory,
  MemoryKind,
  MemoryLayer,
  MemoryChange,
  MemoryQuery,
  MemoryShare,
  MemoryScope,
  MemoryStore,
  NewMemory,
  Promotion,
  SavedKind,
} from "./contract/ports/memories.js";
export type {
  KeptOutput,
  OutputKind,
  OutputMatch,
  OutputPage,
  OutputWriter,
  Outputs,
} from "./contract/ports/outputs.js";
export type {
  Iteration,
  PipelineStatus,
  PipelineStore,
  Stage,
  StageMove,
  StageState,
  StageStatus,
} from "./contract/ports/pipeline.js";
export type {
  Feature,
  FeatureChange,
  FeatureFilter,
  NewFeature,
  NewPlanRecord,
  NewRequirement,
  NewTask,
  PlanFilter,
  PlanKind,
  PlanRecord,
  PlanStore,
  Priority,
  Requirement,
  RequirementChange,
  RequirementFilter,
  Task,
  TaskChange,
  TaskFilter,
  TaskStatus,
} from "./contract/ports/plan.js";
export type {
  CommandOutput,
  CommandRequest,
  CommandResult,
  JobInfo,
  BlockedPath,
  JobInput,
  PresetHosts,
  JobOutput,
  JobState,
  Processes,
  SandboxState,
  ShellInfo,
} from "./contract/ports/processes.js";
export type { CallOwner, CallStart } from "./contract/ports/recorder.js";
export type { SeenFile, SeenFiles, SeenLines, SeenPart, Sighting } from "./contract/ports/seen.js";
export type {
  NewSnippet,
  Snippet,
  SnippetFilter,
  SnippetStore,
  SnippetSummary,
  SnippetVersion,
} from "./contract/ports/snippets.js";
export type { ConsolePresence } from "./contract/ports/state.js";
export type { KeyValue, Store, WorkStores } from "./contract/ports/store.js";
export type { UpstreamEvents } from "./contract/ports/upstream.js";
export type { CallInput } from "./contract/schema-source.js";
export type {
  CallSession,
  CommandPaths,
  IterationTracker,
  PathRuling,
  SessionFolder,
} from "./contract/session.js";
export type { ToolCaller } from "./contract/tenon.js";
export type { Unwrapped } from "./contract/tool-result.js";
export type {
  HealthVerdict,
  MeantCall,
  RetryPolicy,
  ShellCommand,
  ShellFacts,
  ShellSession,
  ShellLine,
  ToolConcurrency,
  ToolExample,
  ToolExecution,
} from "./contract/tool.js";
export type { CallOptions, CallTool, InputOf, ResultOf, ToolTarget } from "./contract/typed-call.js";
export type { ProblemCode } from "./llm/parse/reader.js";
export type { CallableTool } from "./llm/parse/tool-names.js";
export type { ServerFault } from "./mcp/gateway/fault-log.js";
export type { PathRulings } from "./policy/command-paths.js";
export type { ListedRule, Policy } from "./policy/create-policy.js";
export type { LimitUse, QuotaCall, Quotas } from "./registry/quotas.js";
export type { OwnedState, Ownership } from "./store/ownership.js";
export type { PolicyMode } from "./policy/default-verdict.js";
export type { CommandVerdict, Explanation } from "./policy/explain-call.js";
export type { PolicyCall, PolicyCommand } from "./policy/policy-call.js";
export type { PolicyExample, RuleSource } from "./policy/policy-rule.js";
export type { PurgeRequest, Purged } from "./record/audit/purge.js";
export type { LoggedTool, VersionReport } from "./record/log-report.js";
export type { HostUse, Metrics, MetricsSnapshot } from "./record/metrics.js";
export type { Proposal } from "./record/optimiser-rules.js";
export type { Optimiser, OptimiserMode } from "./record/optimiser.js";
export type { ClientNumbers, SchedulerNumbers } from "./record/prometheus.js";
export type { CallMetrics } from "./record/tool-metrics.js";
export type { LooseTool, ToolLike } from "./registry/accept-tool.js";
export type { Variant } from "./registry/experiment.js";
export type { ToolQuery } from "./registry/find-tools.js";
export type { HealthOptions } from "./registry/tool-life.js";
export type { Transition, TransitionListener } from "./registry/lifecycle.js";
export type { RegistryStats } from "./registry/registry-stats.js";
export type { ToolEntry } from "./registry/tool-entry.js";
export type { ListFilter } from "./registry/tool-registry.js";
export type { Toolset, ToolsetEntry, ToolsetSelector } from "./registry/toolsets.js";
export type { ApprovalDesk } from "./runtime/approvals/approval-desk.js";
export type { TenonAudit } from "./runtime/audit/runtime-audit.js";
export type { ExtensionInfo } from "./runtime/catalogue/extensions.js";
export type { ToolReport } from "./runtime/catalogue/tool-report.js";
export type { RuntimeServers } from "./runtime/gateway/runtime-servers.js";
export type { LogSink } from "./runtime/log/create-log.js";
export type { ReplayOptions, ReplayReport, ReplayStep } from "./runtime/replay/replay-task.js";
export type {
  SimulatedChange,
  SimulatedDecision,
  SimulateOptions,
  Simulation,
} from "./runtime/replay/simulate-rules.js";
export type { SessionPromptOptions } from "./runtime/sessions/session-prompt.js";
export type { TenonApprovals } from "./runtime/tenon.js";
export type { SchedulerStats } from "./scheduler/job.js";
export type { PlainLimits } from "./schema/take-plain.js";
export type { Transfer } from "./tools/file/transfer.js";
export type { SandboxFact } from "./world/sandbox/sandbox-types.js";
export type { ShownLines } from "./contract/ports/code.js";
export type { FileChange, WalkOptions } from "./contract/ports/files.js";
export type { CallStats } from "./registry/registry-stats.js";
export type { UndoTarget } from "./runtime/journal/undo-target.js";
export type { ToolResult } from "./contract/tool-result.js";
export type { ServerChanges } from "./runtime/gateway/server-changes.js";
export { readToolCalls, type ReadToolCall, type ReadToolCalls } from "./llm/round-trip/read-tool-calls.js";
export type { RoundTripFormat } from "./llm/round-trip/provider-calls.js";
export { toToolMessages, type ToolMessage } from "./llm/round-trip/to-tool-messages.js";
export {
  toAiSdkTools,
  type AiSdkOutput,
  type AiSdkTool,
  type ToolSource,
} from "./llm/round-trip/to-ai-sdk-tools.js";
export { toLangChainTools, type LangChainTool } from "./llm/round-trip/to-lang-chain-tools.js";
export type { McpResultFacts } from "./contract/call.js";
export type { AskingRequest, Completion, HostReadResult } from "./contract/host.js";
export type { GrepAnswer, GrepLine, GrepQuery } from "./contract/ports/code.js";
export type { NetworkUse } from "./contract/ports/processes.js";
export type { ProtocolEra, SandboxAccess } from "./contract/ports/upstream.js";
export type {
  ReachedHost,
  ReachedThings,
  SandboxTrial,
  TrialOptions,
} from "./runtime/world/observe-program.js";
export type { ConnectionRow, NetworkUser } from "./world/forwarder/network-activity.js";
export type { OwnedJob } from "./world/processes/all-jobs.js";
export type { OutputPart } from "./world/processes/recent-output.js";
export type { JobPlace, PersonJobs } from "./runtime/sessions/person-jobs.js";
export type { ReachedPaths } from "./runtime/world/reached-paths.js";
export type { McpToolDefinition, NativeDefinition } from "./contract/tool.js";
export type { Capabilities } from "./mcp/gateway/caller.js";
