import { ToolExecutionError } from "../../contract/errors.js";

/** Asks Tenon for something, for the call that the door belongs to. */
export type AskDoor = (
  door: readonly string[],
  args: readonly unknown[],
  signal?: AbortSignal,
) => Promise<unknown>;

/** What answers at once, or takes functions, cannot cross the border between processes. */
export function notHere(member: string): ToolExecutionError {
  return new ToolExecutionError(`ctx.${member} cannot be used by a plugin in a process of its own.`, {
    hint: "Use another door, or load the plugin with inProcess: true where it is trusted.",
  });
}
