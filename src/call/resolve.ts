import { ToolNotFoundError } from "../contract/errors.js";
import { findForeignTool } from "../llm/foreign-tools.js";
import type { ResolveView } from "../registry/resolver.js";
import type { ToolEntry } from "../registry/tool-entry.js";
import type { CallState } from "./call-state.js";
import type { ToolSettings } from "./parts.js";
import type { ReceivedCall } from "./receive.js";

/** A call whose tool is known and available to this agent. */
class ResolvedCall {
  declare protected readonly stage: "resolved";
  declare readonly state: CallState;
  declare readonly received: ReceivedCall;
  declare readonly entry: ToolEntry;
  declare readonly settings: ToolSettings;

  constructor(received: ReceivedCall, entry: ToolEntry) {
    this.state = received.state;
    this.received = received;
    this.entry = entry;
    this.settings = received.state.parts.settings(entry);
    this.state.resolved = this;
  }
}

export type { ResolvedCall };

/** Find the one tool version that the name means, within what this agent may see. */
export function resolve(call: ReceivedCall): ResolvedCall {
  const { parts, session, origin } = call.state;
  const view = { sessionId: session.id, toolset: origin.toolset };
  try {
    return new ResolvedCall(call, parts.registry.resolve(call.toolName, view));
  } catch (error) {
    if (!(error instanceof ToolNotFoundError)) throw error;
    return new ResolvedCall(call, resolveForeign(call, view, error));
  }
}

/** The tool that means the same as one of another host that the model has in mind. */
function resolveForeign(call: ReceivedCall, view: ResolveView, unknown: ToolNotFoundError): ToolEntry {
  const args = call.arguments.ok ? call.arguments.value : undefined;
  const foreign = findForeignTool(call.toolName, args);
  if (foreign?.hint !== undefined) throw new ToolNotFoundError(call.toolName, { hint: foreign.hint });
  if (foreign?.name === undefined) throw unknown;
  try {
    return call.state.parts.registry.resolve(foreign.name, view);
  } catch (error) {
    throw error instanceof ToolNotFoundError ? unknown : error;
  }
}

/** The call of another tool that a tool means. An agent that may call the one may call the other through it. */
export function resolveMeant({ received, state }: ResolvedCall, name: string): ResolvedCall {
  const { parts, session } = state;
  state.context = undefined;
  return new ResolvedCall(received, parts.registry.resolve(name, { sessionId: session.id }));
}

/** The same call on the tool version that replaced its own while it waited. */
export function resolveSuccessor({ received, entry }: ResolvedCall): ResolvedCall {
  let newest = entry;
  while (newest.successor !== undefined) newest = newest.successor;
  received.state.context = undefined;
  return new ResolvedCall(received, newest);
}
