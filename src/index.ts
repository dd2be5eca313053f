export { runAgent } from "./agent/run-agent.js";
export type { AgentEvent, AgentOptions, AgentResult, AgentStop } from "./agent/agent-types.js";
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
  Answer,
  ApprovalAnswer,
  ApprovalAnswerer,
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
export type { HeldBack, HeldItem, HeldView, Quarantine } from "./contract/ports/quarantine.js";
export type { CallRecord, Recorder } from "./contract/ports/recorder.js";
export type { Resource, Resources } from "./contract/resources.js";
export type { Infer, SchemaSource, ToolParameter } from "./contract/schema-source.js";
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
export { ToolPromptGenerator, type ToolPrompt, type ToolPromptOptions } from "./llm/tool-prompt.js";
export type {
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
export { ToolRegistry, type RegistryOptions } from "./registry/tool-registry.js";
export type { ToolsetDefinition } from "./registry/toolsets.js";
export { createTenon } from "./runtime/create-tenon.js";
export type { TenonOptions } from "./runtime/tenon-options.js";
export { pinoLog, type PinoLogOptions } from "./runtime/log/pino-log.js";
export type { Actor } from "./runtime/audit/audited-action.js";
export type { CallResult, ResultOptions } from "./runtime/calls/results.js";
export { reflect, type Reflection, type ReflectOptions, type ToolFailure } from "./runtime/tasks/reflect.js";
export type { Session } from "./runtime/sessions/session.js";
export type { TelemetryOptions } from "./runtime/log/telemetry.js";
export type { TaskContext } from "./runtime/tasks/tasks.js";
export type { Tenon } from "./runtime/tenon.js";
export type { InteractCallbacks } from "./world/interact/callback-backend.js";
