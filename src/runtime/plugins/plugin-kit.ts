// What `import … from "tenon"` gives to a plugin: all that it needs, and none of what only a host needs.
export { defineChain } from "../../compose/define-chain.js";
export { defineTool } from "../../contract/define-tool.js";
export { extendTool } from "../../contract/extend-tool.js";
export { errorCodes } from "../../contract/error-codes.js";
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
} from "../../contract/errors.js";
export { securityLevels, toolCategories } from "../../contract/tool.js";
export { definePlugin } from "../../plugin/define-plugin.js";
