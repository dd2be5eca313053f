// What `import "tenon"` loads: classes, constants, and what declares tools. Every other public name loads the rest of the library
// when it is first used (scripts/library-entry.mjs).
export { ConfigError } from "./config/config-error.js";
export { defineTool } from "./contract/define-tool.js";
export { errorCodes } from "./contract/error-codes.js";
export { extendTool } from "./contract/extend-tool.js";
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
} from "./contract/errors.js";
export { toolStates } from "./contract/lifecycle.js";
export { securityLevels, toolCategories } from "./contract/tool.js";
export { ToolPromptGenerator } from "./llm/tool-prompt.js";
export { definePlugin } from "./plugin/define-plugin.js";
export { prometheusContentType } from "./record/prometheus.js";
export { ToolRegistry } from "./registry/tool-registry.js";
