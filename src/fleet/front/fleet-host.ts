import manifest from "../../../package.json" with { type: "json" };
import type {
  CompletionResult,
  HostAnswer,
  HostCall,
  HostChange,
  HostPrompts,
  HostResources,
  HostSession,
  HostSessionOptions,
  HostTool,
  McpHost,
} from "../../contract/host.js";
import { readJson } from "../bus/read-json.js";
import { createIds } from "../../runtime/calls/ids.js";
import type { SessionFacts } from "../protocol.js";
import type { Front } from "./front.js";

/** Which workspace a session works in; what its endpoint says of it is added. */
export type WorkspaceOf = (session: SessionFacts) => string;

/**
 * A whole fleet, as the MCP server sees it: each session is carried to the worker that owns its workspace.
 * @param isEnded Whether the host itself has ended a session; one that is only let go here may go on at another front.
 */
export function createFleetHost(
  front: Front,
  workspaceOf: WorkspaceOf,
  onFault: (cause: unknown) => void,
  isEnded: (session: string) => boolean = () => true,
): McpHost {
  const newSessionId = createIds("session");
  const listeners = new Set<(change: HostChange) => void>();
  return {
    name: "tenon",
    version: manifest.version,
    openSession(options) {
      const facts = factsOf(options, options.id ?? newSessionId());
      return new FleetSession(front, { facts, workspace: workspaceOf(facts), options, onFault, isEnded });
    },
    addResources: () => () => {},
    addPrompts: () => () => {},
    onChange(listener) {
      if (listeners.size === 0) void followChanges(front, listeners).catch(onFault);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function factsOf(options: HostSessionOptions, id: string): SessionFacts {
  const { agent, userId, principal, role, endpoint, toolset, servers, prompts, native, listing } = options;
  const { include, exclude } = options;
  const known = {
    agent,
    userId,
    principal,
    role,
    endpoint,
    toolset,
    servers,
    prompts,
    native,
    listing,
    include,
    exclude,
  };
  const given = Object.entries(known).filter(([, value]) => value !== undefined);
  return { id, ...Object.fromEntries(given) };
}

/** What changes in the workspaces, for hosts that have listed it. */
async function followChanges(
  front: Front,
  listeners: ReadonlySet<(change: HostChange) => void>,
): Promise<void> {
  const { connection, names } = front.bus;
  for await (const message of connection.subscribe(names.allEvents)) {
    const { change } = Object(readJson(message)) as { change?: HostChange };
    if (change !== undefined) for (const listener of listeners) listener(change);
  }
}

interface FleetSessionParts {
  readonly facts: SessionFacts;
  readonly workspace: string;
  readonly options: HostSessionOptions;
  readonly onFault: (cause: unknown) => void;
  readonly isEnded: (session: string) => boolean;
}

/** A session whose calls run on another machine. */
class FleetSession implements HostSession {
  readonly id: string;
  readonly workspace: string;
  readonly #front: Front;
  readonly #parts: FleetSessionParts;
  #used = false;

  constructor(front: Front, parts: FleetSessionParts) {
    this.id = parts.facts.id;
    this.workspace = parts.workspace;
    this.#front = front;
    this.#parts = parts;
  }

  get agent(): string {
    return this.#parts.facts.agent ?? "agent";
  }

  tools(): Promise<readonly HostTool[]> {
    return this.#ask("tools") as Promise<readonly HostTool[]>;
  }

  newCallId(): string {
    return this.#front.newCallId();
  }

  call(call: HostCall): Promise<HostAnswer> {
    this.#used = true;
    const { facts, options } = this.#parts;
    const id = call.id ?? this.newCallId();
    const signal = call.signal instanceof AbortSignal ? call.signal : call.signal.signal;
    return this.#front.calls.run({
      ...call,
      signal,
      id,
      workspace: this.workspace,
      session: facts,
      client: options.client,
    });
  }

  resources(): HostResources {
    return {
      list: () => this.#ask("resources.list") as never,
      templates: () => this.#ask("resources.templates") as never,
      read: (uri) => this.#ask("resources.read", [uri]) as never,
      complete: (request) => this.#ask("resources.complete", [request]) as Promise<CompletionResult>,
      watch: async (uri) => {
        await this.#ask("resources.watch", [uri]);
        return () => {};
      },
    };
  }

  prompts(): HostPrompts {
    return {
      list: () => this.#ask("prompts.list") as never,
      get: (name, args) => this.#ask("prompts.get", [name, args]) as never,
      complete: (request) => this.#ask("prompts.complete", [request]) as Promise<CompletionResult>,
    };
  }

  rootsChanged(): void {
    this.#ask("rootsChanged").catch(this.#parts.onFault);
  }

  callerGone(callId: string): void {
    this.#front.calls.callerGone(callId);
  }

  async close(reason?: string): Promise<void> {
    // A worker that is gone has ended its sessions with it.
    if (!this.#used || this.#front.roster.ownerOf(this.workspace) === undefined) return;
    const method = this.#parts.isEnded(this.id) ? "close" : "leave";
    await this.#ask(method, reason === undefined ? [] : [reason]).catch(this.#parts.onFault);
  }

  #ask(method: string, args: readonly unknown[] = []): Promise<unknown> {
    this.#used = true;
    return this.#front.askOwner(this.workspace, {
      verb: "session",
      session: this.#parts.facts,
      method,
      args: [...args],
      ...(!asksServer.test(method) && { timeoutMs: this.#front.listMs }),
    });
  }
}

/** What an MCP server may have to answer first, within its own limit. */
const asksServer = /\.(?:read|get|complete|watch)$/;
