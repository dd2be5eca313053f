import type { Call, ResolvedCall } from "./call.js";

/** Find the one tool version that the name means, within what this agent may see. */
export function resolve(call: Call): ResolvedCall {
  const { registry, settings } = call.parts;
  const view = { sessionId: call.session.id, toolset: call.origin.toolset };
  call.entry = registry.resolve(call.toolName, view);
  call.settings = settings(call.entry);
  return call as ResolvedCall;
}
