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
  ApprovalRequest,
  InteractBackend,
  Question,
} from "./contract/ports/interact.js";
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
export type { LLMFormat, LLMTools } from "./llm/to-llm-tools.js";
export type { PolicyRule } from "./policy/policy-rule.js";
export type { Advice } from "./record/optimiser.js";
export type { ToolMetrics } from "./record/tool-metrics.js";
export { ToolRegistry, type RegistryOptions } from "./registry/tool-registry.js";
export type { ToolsetDefinition } from "./registry/toolsets.js";
export { createTenon, type TenonOptions } from "./runtime/create-tenon.js";
export type { Session } from "./runtime/session.js";
export type { TaskContext } from "./runtime/tasks.js";
export type { Tenon } from "./runtime/tenon.js";
export type { InteractCallbacks } from "./world/interact/callback-backend.js";
