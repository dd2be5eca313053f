import type { ToolContext } from "../../contract/context.js";
import type { PromptProvider, ResourceProvider } from "../../contract/host.js";
import type {
  SandboxAccess,
  UpstreamResult,
  UpstreamSpec,
  UpstreamTool,
} from "../../contract/ports/upstream.js";
import type { SecretScope } from "../../contract/ports/secrets.js";
import type { Tool } from "../../contract/tool.js";
import type { PartialCaller } from "./caller.js";
import type { OpenServer } from "./server-link.js";
import type { ServerFault } from "./fault-log.js";
import type { ServerMemory } from "./server-memory.js";

/** One server and how it is used. */
export interface ServerSettings {
  readonly spec: UpstreamSpec;
  /** `false`: known, but never started. @default true */
  readonly enabled?: boolean | undefined;
  /** Only these of its tools, as globs. @default all */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** Limit of one call. @default 60000 */
  readonly timeoutMs?: number | undefined;
  /** Limit of connecting and listing. @default 30000, and 600000 for a program that npx and the like download */
  readonly startTimeoutMs?: number | undefined;
  /** Calls at the same time. @default 16 */
  readonly maxConcurrent?: number | undefined;
  /** Calls in a minute; more are refused. @default no limit */
  readonly maxPerMinute?: number | undefined;
  /** Start it with the first call where its tools are known already. @default true */
  readonly lazy?: boolean | undefined;
  readonly trustAnnotations?: boolean | undefined;
  /** One instance for all sessions, or one for each that calls it. @default "shared" */
  readonly instances?: "shared" | "session" | undefined;
  /** The era of the protocol to speak. @default "auto" */
  readonly era?: "auto" | "2025" | "2026" | undefined;
}

/** A server as lists show it. */
export interface ServerView {
  readonly name: string;
  /** The program with its arguments, or the address; secrets hidden. */
  readonly target: string;
  readonly state: "idle" | "connecting" | "ready" | "failed" | "stopped" | "disabled";
  readonly protocol?: string | undefined;
  /** Why it does not work, or its last fault. */
  readonly fault?: string | undefined;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly warnings: readonly string[];
  }[];
  /** Definitions that wait for a person. */
  readonly held: readonly {
    readonly tool: string;
    readonly reason: string;
    readonly diff: string;
    /** What looks wrong in the new definition. */
    readonly warnings: readonly string[];
    /** A person has looked at it and refused it. */
    readonly rejected?: boolean | undefined;
  }[];
  readonly refused: readonly { readonly tool: string; readonly reason: string }[];
  /** It does not work until a person has logged in. */
  readonly needsLogin?: boolean | undefined;
  /** When a server that failed is tried again. */
  readonly nextTryAt?: number | undefined;
  readonly pid?: number | undefined;
  /** Of a program: what it may reach in the sandbox; `false` if it runs outside. */
  readonly sandbox?: SandboxAccess | false | undefined;
  readonly faults: readonly ServerFault[];
  /** The last lines that the program wrote to its standard error. */
  readonly log: readonly string[];
}

/** Where tools of servers are registered. */
export interface ToolRegistration {
  has(name: string): boolean;
  registerMany(tools: readonly Tool[]): void;
  replace(tool: Tool): void;
  unregister(name: string): Promise<unknown>;
  enable(name: string): void;
  disable(name: string, reason: string): void;
}

/** What the gateway needs to know of secrets; their values are filled in where a server is opened. */
export interface GatewaySecrets {
  /** Another text for callers who get other values. Rejects where one is missing. */
  pick(names: readonly string[], caller: SecretScope): Promise<string>;
  /** Hide values that were given to servers. */
  hide<T>(value: T): T;
}

export interface GatewayOptions {
  readonly registry: ToolRegistration;
  readonly memory: ServerMemory;
  readonly now: () => number;
  readonly random: () => number;
  /** Hide secrets. */
  readonly hide: (text: string) => string;
  /** Whether a name fits a glob. */
  readonly matches: (glob: string, name: string) => boolean;
  /** Stored secrets, for servers that refer to some. @default there are none */
  readonly secrets?: GatewaySecrets | undefined;
  /** How a server of that name is reached. */
  readonly open: OpenServer;
  /** Keeps what servers write to their standard error. @default only the last lines are kept, in memory */
  readonly keepLine?: ((server: string, line: string) => void) | undefined;
}

/** MCP servers in code: those of the configuration and those connected by hand. */
export interface McpServers {
  /** All servers, by name. */
  servers(): readonly ServerView[];
  /** Add a server and connect; its tools are `name:tool`. */
  connect(name: string, spec: UpstreamSpec | ServerSettings): Promise<ServerView>;
  /** The tools that a server offers now, as far as they are accepted. */
  listTools(name: string): Promise<readonly UpstreamTool[]>;
  /** Call a tool of a server directly: no policy, no records. Calls of agents go through `tenon.call`. */
  callTool(
    name: string,
    tool: string,
    args?: unknown,
    options?: { readonly signal?: AbortSignal; readonly context?: ToolContext },
  ): Promise<UpstreamResult>;
  /** Remove a server and its tools. */
  disconnect(name: string): Promise<void>;
  /** A person has looked at changed definitions: use them from now on. @param tools @default all that are held */
  accept(name: string, tools?: readonly string[]): Promise<readonly string[]>;
  /**
   * A person has looked at changed definitions and refuses them: the tools stay unavailable until their definitions
   * change again or are accepted. @param tools @default all that are held
   */
  reject(name: string, tools?: readonly string[]): Promise<readonly string[]>;
  /** Close the connection and make a new one. @param options A limit of this start, in place of the configured one. */
  restart(name: string, options?: { readonly startTimeoutMs?: number | undefined }): Promise<ServerView>;
  /** Close the connection until `restart`; calls of its tools are refused meanwhile. */
  stop(name: string): Promise<ServerView>;
  /** Resources of all servers, for MCP hosts. */
  readonly resources: ResourceProvider;
  /** Prompts of all servers, for MCP hosts. */
  readonly prompts: PromptProvider;
}

/** The gateway as the runtime holds it. */
export interface Gateway extends McpServers {
  /** Add a server without starting it. */
  add(name: string, settings: ServerSettings): void;
  /** Add a server, or replace the one of the same name; without settings the old one is only removed. */
  replace(name: string, settings: ServerSettings | undefined): Promise<void>;
  /** Whether a name belongs to a server that has not listed its tools yet. */
  isLoading(name: string): boolean;
  /** Register what is known from earlier runs. */
  load(): Promise<void>;
  /** The first connections will be made for this host: a server of 2025 that was started for another starts again. */
  expect(caller: PartialCaller): void;
  /** Start in the background what is not known yet or wants to be started. */
  start(): void;
  /**
   * Wait until every enabled server whose tools are not known has listed them or failed, at most so long.
   * @param caller The host that waits.
   */
  settle(limitMs: number, caller?: PartialCaller): Promise<void>;
  /** Connect to all enabled servers now, and wait at most so long. */
  tryAll(limitMs: number): Promise<void>;
  /** The wait before a name of a server that has not listed its tools yet can be resolved. */
  awaitTool(name: string, caller?: PartialCaller): Promise<void> | undefined;
  /** The roots of a session's host changed: its servers are told. */
  rootsChanged(sessionId: string): void;
  /** A session is over: instances of servers that were its own end. */
  endSession(sessionId: string): Promise<void>;
  /** The tool that a name on the wire (`server__tool`) means, where its server has not listed its tools yet. */
  nameBehind(wireName: string): string | undefined;
  close(): Promise<void>;
}
