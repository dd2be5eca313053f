import { ToolUnavailableError } from "../../contract/errors.js";

/** NATS or the workers cannot be reached now. */
export function fleetAway(message: string, hint = "Try again in a few seconds."): ToolUnavailableError {
  return new ToolUnavailableError(message, { code: "FLEET_UNAVAILABLE", hint });
}

/** A call was sent, and nobody can say whether it was made. @param isKeyed Whether it can be made again without harm. */
export function outcomeUnknown(message: string, hint: string, isKeyed: boolean): ToolUnavailableError {
  return new ToolUnavailableError(message, { code: "OUTCOME_UNKNOWN", hint, retryable: isKeyed });
}

/** The workspace cannot be worked in now, though the fleet is there. */
export function workspaceAway(message: string, hint: string): ToolUnavailableError {
  return new ToolUnavailableError(message, { code: "WORKSPACE_UNAVAILABLE", hint });
}
