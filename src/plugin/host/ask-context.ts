import { ToolExecutionError } from "../../contract/errors.js";

/** Calls a member of the call's context in Tenon, for example `["files", "read"]`. */
export type AskContext = (
  path: readonly string[],
  args: readonly unknown[],
  signal?: AbortSignal,
) => Promise<unknown>;

/** Members that return at once, or take functions, do not work across processes. */
export function notRemote(member: string): ToolExecutionError {
  return new ToolExecutionError(`ctx.${member} cannot be used by a plugin in its own process.`, {
    hint: "Use another member of ctx, or load the plugin with inProcess: true where it is trusted.",
  });
}
