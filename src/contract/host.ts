import type { Role } from "./ports/access.js";
import type { ToolEnvelope } from "./call.js";
import type { JsonSchema } from "./json.js";
import type { ClientConnection } from "./ports/client.js";
import type { InteractBackend } from "./ports/interact.js";
import type { ToolProgress } from "./tool.js";

/** Everything that the MCP server needs from a Tenon instance. */
export interface McpHost {
  readonly name: string;
  readonly version: string;
  /** What a host may tell its model about this server. */
  readonly instructions?: string | undefined;
  openSession(options: HostSessionOptions): HostSession;
  /** Offer resources besides Tenon's own; the result takes them back. */
  addResources(provider: ResourceProvider): () => void;
  /** Offer prompts besides Tenon's own; the result takes them back. */
  addPrompts(provider: PromptProvider): () => void;
  /** Told when something that hosts have listed may have changed; the result ends it. */
  onChange(listener: (change: HostChange) => void): () => void;
}

/** What changed for hosts: a list, or the content of one resource. */
export type HostChange = (
  | { readonly kind: "tools" | "resources" | "prompts" }
  | { readonly kind: "resource"; readonly uri: string }
) & {
  /** The MCP server that reports it: only hosts that are offered the server hear of it. @default Tenon itself */
  readonly server?: string | undefined;
  /** Further parameters of the server's notification. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** The only session that is told these parameters. @default all that hear of the change */
  readonly session?: string | undefined;
};

/** Who a connection works for. */
export interface HostSessionOptions {
  /** @default a new id */
  readonly id?: string | undefined;
  /** @default the configuration's */
  readonly toolset?: string | undefined;
  readonly agent?: string | undefined;
  readonly userId?: string | undefined;
  /** On whose behalf it works. @default "local" */
  readonly principal?: string | undefined;
  /** @default "admin" */
  readonly role?: Role | undefined;
  /** The MCP endpoint that it connected to. */
  readonly endpoint?: string | undefined;
  readonly interact?: InteractBackend | undefined;
  readonly client?: ClientConnection | undefined;
  /** Whether the host is the person's own program at the other end of a pipe; all others connect over a network. @default false */
  readonly local?: boolean | undefined;
  /** MCP servers whose tools, resources and prompts are offered. @default all */
  readonly servers?: readonly string[] | undefined;
  /** Only prompts whose name matches one of these globs. @default all */
  readonly prompts?: readonly string[] | undefined;
  /** Providers whose native tools are offered. @default all that are configured */
  readonly native?: readonly ("anthropic" | "openai")[] | undefined;
  /** How the tools are listed. @default the configuration's */
  readonly listing?: "all" | "compact" | "search" | undefined;
  /** Only tools whose name matches one of these globs. @default all */
  readonly include?: readonly string[] | undefined;
  /** No tools whose name matches one of these globs. */
  readonly exclude?: readonly string[] | undefined;
}

/** A tool as MCP hosts see it. */
export interface HostTool {
  /** Legal on every wire: `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  readonly title?: string | undefined;
  /** Tenon's own tools always have one. */
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly icons?: readonly unknown[] | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** One host's session. Everything it does is judged by the policy and recorded. */
export interface HostSession {
  readonly id: string;
  readonly agent: string;
  /** The MCP endpoint that it connected to. */
  readonly endpoint?: string | undefined;
  /** The tools that it sees, by name. */
  tools(): Promise<readonly HostTool[]>;
  /** An id for a later call. */
  newCallId(): string;
  /** Make a call by the name on the wire, an alias or the true name; never rejects. */
  call(call: HostCall): Promise<HostAnswer>;
  /** @param asking The request that asks. */
  resources(asking?: AskingRequest): HostResources;
  prompts(asking?: AskingRequest): HostPrompts;
  /** The host says that its roots changed. */
  rootsChanged(): void;
  /** The caller has disconnected: the call continues, unless it is waiting for a person; then it is cancelled. */
  callerGone(callId: string): void;
  /** End what the session left running, without cancelling calls. @param reason Recorded if given. */
  close(reason?: string): Promise<void>;
}

/** A request for a resource or a prompt. */
export type AskingRequest = Pick<HostScope, "client" | "onProgress">;

/** A call as an MCP host makes it. */
export interface HostCall {
  /** One that `newCallId` gave out. @default a new id */
  readonly id?: string | undefined;
  /** The same call is not made twice under it. */
  readonly idempotencyKey?: string | undefined;
  readonly name: string;
  readonly arguments?: unknown;
  readonly taskId?: string | undefined;
  /** @default the tool's own limit */
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal | CallStop;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

/** What stops a call, in the place of an AbortSignal: making a signal and listening to it costs as much as a small call. */
export interface CallStop {
  readonly aborted: boolean;
  /** The same as a signal, made on first use. */
  readonly signal: AbortSignal;
  /** Set by the one that makes the call, and called once when it must stop. */
  onAbort?: ((reason: string) => void) | undefined;
}

/** An answer, and whether its result goes out as it is. */
export interface HostAnswer {
  readonly envelope: ToolEnvelope;
  /** The listed schema wraps the result: `{ result }`. */
  readonly wrapped: boolean;
  /** Characters that a structured result may take; what is longer is shortened. */
  readonly maxChars: number;
}

/** Who asks for a resource or a prompt. */
export interface HostScope {
  readonly session: HostSession;
  readonly signal: AbortSignal;
  /** The connection to the host, for what needs its person or its model. */
  readonly client?: ClientConnection | undefined;
  /** The MCP servers that it may use. @default all */
  readonly servers?: readonly string[] | undefined;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

/** A resource that MCP hosts can list. */
export interface HostResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly icons?: readonly unknown[] | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A template for the addresses of resources. */
export interface HostResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** What a resource holds: text, or bytes as base64. */
export type HostResourceContent = {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
} & ({ readonly text: string } | { readonly blob: string });

/** A resource as it was read, with what else the result holds. */
export interface HostReadResult {
  readonly contents: readonly HostResourceContent[];
  readonly [field: string]: unknown;
}

/** Values that an argument can have. */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number | undefined;
  readonly hasMore?: boolean | undefined;
}

/** A completion with all that a server sent along. */
export interface CompletionResult {
  readonly completion: Completion;
  readonly [field: string]: unknown;
}

/** What the person has typed of a value, and the values that are given already. */
export interface CompletionRequest {
  /** The name of a prompt, or a URI template. */
  readonly of: string;
  readonly argument: string;
  readonly value: string;
  readonly given: Readonly<Record<string, string>>;
  /** The parameters of the request as the host sent them. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A source of resources: Tenon's own, an upstream server's, a test's. */
export interface ResourceProvider {
  list(scope: HostScope): Promise<readonly HostResource[]>;
  templates?(scope: HostScope): Promise<readonly HostResourceTemplate[]>;
  /** `undefined`: the address is not this provider's. */
  read(uri: string, scope: HostScope): Promise<HostReadResult | readonly HostResourceContent[] | undefined>;
  /** `undefined`: the template is not this provider's. */
  complete?(
    request: CompletionRequest,
    scope: HostScope,
  ): Promise<CompletionResult | Completion | readonly string[] | undefined>;
  /** Someone wants to hear of changes of this resource; the result ends that. */
  watch?(uri: string, scope: HostScope): Promise<(() => void) | undefined>;
  /** Told when the list or a resource changes; the result ends it. */
  onChange?(listener: (change: HostChange) => void): () => void;
}

/** A prompt that MCP hosts can list. */
export interface HostPrompt {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments?:
    | readonly {
        readonly name: string;
        readonly description?: string | undefined;
        readonly required?: boolean | undefined;
      }[]
    | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A prompt filled in: messages with content blocks as MCP writes them. */
export interface HostPromptResult {
  readonly description?: string | undefined;
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly content: Readonly<Record<string, unknown>>;
  }[];
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A source of prompts. */
export interface PromptProvider {
  list(scope: HostScope): Promise<readonly HostPrompt[]>;
  /** `undefined`: the prompt is not this provider's. */
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    scope: HostScope,
  ): Promise<HostPromptResult | undefined>;
  complete?(
    request: CompletionRequest,
    scope: HostScope,
  ): Promise<CompletionResult | Completion | readonly string[] | undefined>;
  onChange?(listener: (change: HostChange) => void): () => void;
}

/** All providers' resources, as one session sees them. */
export interface HostResources {
  list(signal: AbortSignal): Promise<readonly HostResource[]>;
  templates(signal: AbortSignal): Promise<readonly HostResourceTemplate[]>;
  read(uri: string, signal: AbortSignal): Promise<HostReadResult | undefined>;
  complete(request: CompletionRequest, signal: AbortSignal): Promise<CompletionResult>;
  watch(uri: string, signal: AbortSignal): Promise<() => void>;
}

/** All providers' prompts, as one session sees them. */
export interface HostPrompts {
  list(signal: AbortSignal): Promise<readonly HostPrompt[]>;
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<HostPromptResult | undefined>;
  complete(request: CompletionRequest, signal: AbortSignal): Promise<CompletionResult>;
}
