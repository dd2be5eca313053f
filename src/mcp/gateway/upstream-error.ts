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
    return new ToolUnavailableError(
      `The connection to the MCP server "${server}" was lost during the call: ${message}.`,
      {
        code: "SERVER_UNAVAILABLE",
        hint: "It is being restarted; it is unknown whether the call had an effect.",
        cause: error,
        details: { server },
      },
    );
  }
  const { code, data, message: said = message } = error as Partial<Record<string, unknown>>;
  return new ToolExecutionError(`The tool "${tool}" of the MCP server "${server}" failed: ${clip(message)}`, {
    cause: error,
    details: {
      server,
      ...(typeof code === "number" &&
        code !== ownErrorCode && {
          protocolCode: code,
          protocolMessage: clip(String(said)),
          ...(isSmall(data) && { protocolData: data }),
        }),
    },
  });
}

const maxText = 16_384;
const maxDataChars = 262_144;

function clip(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText).toWellFormed()}…`;
}

/** No host would read a longer one. */
function isSmall(data: unknown): boolean {
  return data !== undefined && (JSON.stringify(data)?.length ?? 0) <= maxDataChars;
}
