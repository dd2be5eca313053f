import type { Call, ResolvedCall } from "./call.js";

/** Find the one tool version that the name means, within what this agent may see. */
export function resolve(call: Call): ResolvedCall {
  const { registry, settings } = call.parts;
  const view = { sessionId: call.session.id, toolset: call.origin.toolset };
  const entry = registry.resolve(call.toolName, view);
  call.entry = entry;
  call.settings = settings(entry);
  return call as ResolvedCall;
}
