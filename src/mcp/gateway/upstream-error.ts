import { ToolError, ToolExecutionError, ToolUnavailableError } from "../../contract/errors.js";
import { ownErrorCode } from "../client/too-long-answer.js";
import { messageOf } from "../../contract/message-of.js";

/** Say in Tenon's words why a call of a server failed. */
export function toUpstreamError(
  error: unknown,
  where: { readonly server: string; readonly tool: string; readonly signal: AbortSignal },
): unknown {
  const { server, tool, signal } = where;
  if (signal.aborted || error instanceof ToolError) return error;
  const message = messageOf(error);
  if (/connection was lost|connection closed|not connected|program is gone/i.test(message)) {
    return new ToolUnavailableError(`The MCP server "${server}" went away during the call: ${message}.`, {
      code: "SERVER_UNAVAILABLE",
      hint: "It is being started again; whether the call did something is not known.",
      cause: error,
      details: { server },
    });
  }
  const { code, data } = error as { code?: unknown; data?: unknown };
  return new ToolExecutionError(`The tool "${tool}" of the MCP server "${server}" failed: ${message}`, {
    cause: error,
    details: {
      server,
      ...(typeof code === "number" &&
        code !== ownErrorCode && {
          protocolCode: code,
          protocolMessage: message,
          ...(data !== undefined && { protocolData: data }),
        }),
    },
  });
}
