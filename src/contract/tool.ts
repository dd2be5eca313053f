import type { ContentPart } from "./call.js";
import type { ToolContext } from "./context.js";
import type { ToolError } from "./errors.js";
import type { JsonSchema } from "./json.js";
import type { Resources } from "./resources.js";
import type { SchemaSource } from "./schema-source.js";

/** All categories of tools. */
export const toolCategories = [
  "system",
  "file",
  "network",
  "data",
  "code",
  "mcp",
  "custom",
  "shell",
  "snippet",
  "interaction",
  "artifact",
  "control",
  "memory",
  "planning",
] as const;

/** The categories of tools. */
export type ToolCategory = (typeof toolCategories)[number];

/** Hints about a tool's nature; they map onto MCP's tool annotations. */
export interface ToolAnnotations {
  /** A title for people. */
  readonly title?: string;
  /** Changes nothing. */
  readonly readOnly?: boolean;
  /** Needs confirmation: changes files, runs commands or sends data out. */
  readonly dangerous?: boolean;
  /** Doing it twice is the same as once, so it may be retried. */
  readonly idempotent?: boolean;
  /** Its results come from outside and are marked as untrusted. */
  readonly openWorld?: boolean;
  /** Equal calls may be answered from a cache while what they read is unchanged. */
  readonly cacheable?: boolean;
  /** The MCP hints an external server gave for its tool. No decision depends on them. */
  readonly serverHints?: Readonly<Record<string, boolean>>;
}

/** What an MCP server says of its tool, besides the name and the schemas. */
export interface McpToolDefinition {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly icons?: readonly unknown[] | undefined;
  /** As the server wrote it. @default the schema of the tool */
  readonly inputSchema?: JsonSchema | undefined;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Other fields of the definition. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/** How often and how fast a retryable failure of an idempotent tool is tried again. */
export interface RetryPolicy {
  /** Tries after the first one. @default 3 */
  readonly attempts?: number;
  /** The first wait; it doubles each time, with jitter. @default 1000 */
  readonly delayMs?: number;
  /** @default 30000 */
  readonly maxDelayMs?: number;
}

/** How many calls of one tool may run and wait. */
export interface ToolConcurrency {
  /** Calls of this tool that run at the same time. */
  readonly max?: number;
  /** Calls of this tool that may wait. */
  readonly queue?: number;
  /** `false`: calls of this tool run one after the other. */
  readonly safe?: boolean;
}

/** A tool's own verdict on a call; it can tighten the policy's, never loosen it. */
export interface PermissionResult<Input = unknown> {
  readonly behavior: "allow" | "ask" | "deny";
  readonly message?: string;
  readonly updatedInput?: Input;
}

/** A shell line and where it runs. */
export interface ShellLine {
  readonly line: string;
  /** @default the workspace */
  readonly cwd?: string | undefined;
  /** Variables that are set for it alone. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What is fed to it. @default nothing */
  readonly stdin?: string | undefined;
  /** Lines for another shell than bash and sh are not judged by grammar. @default "bash" */
  readonly dialect?: "bash" | "sh" | "other" | undefined;
}

/** What a shell line may depend on besides the arguments. */
export interface ShellSession {
  /** Where commands of the session start, if not in the workspace. */
  readonly folder?: string | undefined;
}

/** A tool that the models of a provider were trained on, in the provider's own words. */
export interface NativeDefinition {
  readonly provider: "anthropic" | "openai";
  /** What the provider's API takes in the place of a description and a schema. */
  readonly definition: { readonly type: string };
}

/** The call of another tool that an input means. */
export interface MeantCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Turns the result of the other tool into a result of this one. @default the result as it is */
  readonly answer?: (result: unknown) => unknown;
  /** The hint for an error of the other tool, in the words of this one. @default the error's own */
  readonly hint?: (error: ToolError) => string | undefined;
}

/** What is known of a shell line without running it. */
export interface ShellFacts {
  /** It is proven to only read, inside the workspace. */
  readonly readOnly: boolean;
  /** What `git mv` moves in it, as absolute paths. */
  readonly movedByGit?: readonly string[] | undefined;
  /** A service that it would start and that never ends by itself. */
  readonly service?: string | undefined;
  /** The program in it that needs a person at a terminal. */
  readonly interactive?: string | undefined;
  /** The folder that it was judged in, as an absolute path. */
  readonly cwd?: string | undefined;
  /** It does nothing but change the folder. */
  readonly isOnlyCd?: boolean | undefined;
  /** Every simple command, in the order in which they stand. */
  readonly commands?: readonly ShellCommand[] | undefined;
}

/** A simple command of a shell line. */
export interface ShellCommand {
  /** What could not be resolved stands as it was written. */
  readonly words: readonly string[];
  readonly redirections: readonly { readonly op: string; readonly target: string }[];
  /** Folders that it can run in, as absolute paths; `null` if that is not known. */
  readonly cwds: readonly string[] | null;
  /** What it was found in, outermost first: `timeout`, `sh -c`, `$(…)`, … */
  readonly via: readonly string[];
  /** Where in the line it stands. */
  readonly at: { readonly start: number; readonly end: number };
}

/** What a call would do, shown to the person before consent is asked. */
export interface ToolPreview {
  /** One line. */
  readonly summary: string;
  readonly diff?: string;
  readonly commands?: readonly string[];
  readonly address?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A report while a tool runs. */
export interface ToolProgress {
  readonly message?: string;
  /** Partial output as it comes. */
  readonly output?: string;
  readonly progress?: number;
  readonly total?: number;
  /** What an MCP server sent along, for MCP hosts. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Other fields of the server's notification, for MCP hosts. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A health check's own verdict. */
export interface HealthVerdict {
  readonly healthy: boolean;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A call that shows how a tool is used. */
export interface ToolExample {
  readonly description?: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The `execute` of a tool: a value, a promise of one, or a generator that reports while it runs. */
export type ToolExecution<Output> =
  | Output
  | Promise<Output>
  | AsyncGenerator<ToolProgress | string, Output, void>;

/**
 * A tool, as the registry keeps it. Methods, not function properties, so that a
 * `Tool<SomeInput>` can be used as a `Tool`.
 */
export interface Tool<Input = unknown, Output = unknown> {
  readonly name: string;
  readonly description: string;
  readonly category: ToolCategory;
  readonly input: SchemaSource;
  readonly output?: SchemaSource;
  readonly version?: string;
  readonly aliases?: readonly string[];
  readonly annotations?: ToolAnnotations;
  readonly examples?: readonly ToolExample[];
  /** The definition that MCP hosts get instead of one made from the tool's fields; its name stays the tool's own. */
  readonly definition?: McpToolDefinition;
  /** Names (`name` or `name@range`) of tools that this one calls. */
  readonly dependsOn?: readonly string[];
  /** Tools that this one may call but works without. They must be registered too, and may not form a cycle. */
  readonly optionalDependsOn?: readonly string[];
  /** The provider's own definition, for a tool that its models were trained on. */
  readonly native?: NativeDefinition;
  /** Tools that listings leave out while this one is there. They can still be called. */
  readonly replaces?: readonly string[];
  /** Capabilities that the agent must have been granted. */
  readonly capabilities?: readonly string[];
  /** How much harm it can do; compared with the configured cap. @default derived from the annotations */
  readonly securityLevel?: SecurityLevel;
  /** `null`: the tool keeps its own time limit. @default 30000, network 60000 */
  readonly timeoutMs?: number | null;
  readonly retry?: RetryPolicy;
  /** Name of the tool that answers where this one cannot. */
  readonly fallback?: string;
  /** Higher runs first among calls that are ready. @default 0 */
  readonly priority?: number;
  readonly concurrency?: ToolConcurrency;
  /** How long an answer of a cacheable tool may be given again where the version of what it read cannot be known (a host). @default such answers are not cached */
  readonly cacheTtlMs?: number;

  /** `line`: what is known of the tool's `shellLine`, where it has one; `settings`: its `custom` block. */
  resources?(input: Input, line?: ShellFacts, settings?: Readonly<Record<string, unknown>>): Resources;
  /**
   * Computes what `resources` and `shellLine` will return for this input. Awaited before the call is authorised.
   * Returns `undefined` if that is already known. Only tools that cannot tell at once need it.
   */
  prepare?(input: Input, ctx: ToolContext): Promise<void> | undefined;
  /**
   * The call of another tool that this input means, if it does. That tool is judged, asked for, run and recorded in the
   * place of this one, and its result is given back in this tool's form. May throw for an input that cannot work.
   */
  meansCall?(input: Input, session: ShellSession): MeantCall | undefined;
  /** The shell line that the call will run: it is judged command by command. */
  shellLine?(input: Input, session: ShellSession): ShellLine | undefined;
  /**
   * Whether the call does nothing but run its `shellLine` in the foreground through `ctx.processes.run`. With
   * `shell.askAfter`, a person is then asked with what the command changed, instead of before it runs.
   */
  runsOnlyLine?(input: Input): boolean;
  checkPermissions?(
    input: Input,
    ctx: ToolContext,
  ): PermissionResult<Input> | Promise<PermissionResult<Input>>;
  preview?(input: Input, ctx: ToolContext): ToolPreview | Promise<ToolPreview>;
  /** Lists what does not fit between this tool and the tools that it calls. Called once, at registration. */
  validateDependencies?(describe: (name: string) => ToolDescription | undefined): readonly string[];
  healthCheck?(): HealthVerdict | Promise<HealthVerdict>;
  init?(): void | Promise<void>;
  dispose?(): void | Promise<void>;
  /** The text (or parts) for the model. @default the result as JSON */
  render?(result: Output, input: Input): string | readonly ContentPart[];
  execute(input: Input, ctx: ToolContext): ToolExecution<Output>;
}

/** How much harm a tool can do, from nothing to running code. */
export const securityLevels = ["safe", "low", "medium", "high", "critical"] as const;

/** How much harm a tool can do. */
export type SecurityLevel = (typeof securityLevels)[number];

/** What is known of a tool without running it: for listings, models and MCP. */
export interface ToolDescription {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly category: ToolCategory;
  readonly aliases: readonly string[];
  readonly annotations: ToolAnnotations;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly examples?: readonly ToolExample[];
  readonly definition?: McpToolDefinition;
  readonly native?: NativeDefinition;
}
