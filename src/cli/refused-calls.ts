import type { AgentEvent } from "../agent/agent-types.js";
import type { ToolEnvelope } from "../contract/call.js";
import { commandToAllow } from "./allow-command.js";
import type { OpenTenon } from "./open-tenon.js";

/** Most runs are refused one thing many times; beyond a few lines nobody reads them. */
const maxCommands = 5;

/** Keeps the calls of an agent that failed, to say at the end how a person makes them work. */
export class RefusedCalls {
  readonly #arguments = new Map<string, unknown>();
  readonly #failed: ToolEnvelope[] = [];

  readonly onEvent = (event: AgentEvent): void => {
    if (event.type === "call") this.#arguments.set(event.callId, event.arguments);
    if (event.type === "result" && !event.envelope.success) this.#failed.push(event.envelope);
  };

  /** The commands to paste, as `tenon call` offers them. */
  async commands(open: OpenTenon): Promise<readonly string[]> {
    const found = new Set<string>();
    for (const envelope of this.#failed) {
      if (found.size === maxCommands) break;
      const { toolName: name, callId } = envelope;
      const args = (this.#arguments.get(callId) ?? {}) as Readonly<Record<string, unknown>>;
      const request = { name, arguments: args };
      const words = [name, JSON.stringify(args)];
      const command = await commandToAllow(open, envelope, { request, words, options: {} });
      if (command !== undefined) found.add(command);
    }
    return [...found];
  }
}
