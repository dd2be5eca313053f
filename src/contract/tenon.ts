import type { Role } from "./ports/access.js";
import type { ToolEnvelope, ToolRequest } from "./call.js";
import type { TenonEvent } from "./events.js";
import type { ClientConnection } from "./ports/client.js";
import type { CallTool } from "./typed-call.js";
import type { ApprovalChannel, ClientInfo, InteractBackend } from "./ports/interact.js";

/** What a stream gives: events of its calls as they happen, and each result once. */
export type StreamItem = TenonEvent | { readonly type: "result"; readonly envelope: ToolEnvelope };

/** The verdict on arguments, given without running anything. */
export interface ValidationResult {
  readonly valid: boolean;
  readonly errors: readonly string[];
}

/** Anything that takes calls: a Tenon, or one of its sessions. */
export interface ToolCaller {
  /** Make one call; answers with an envelope, never throws. */
  readonly call: CallTool;
  /** Make many calls; the answers come in the order of the requests. */
  callMany(requests: readonly ToolRequest[]): Promise<ToolEnvelope[]>;
  /** Make calls and see their events and results as they come; leaving the loop cancels what still runs. */
  stream(requests: ToolRequest | readonly ToolRequest[]): AsyncIterable<StreamItem>;
  /** Check arguments without running anything. */
  validate(name: string, args: unknown): ValidationResult;
}

/** Who a session is and what it may see. */
export interface SessionOptions {
  /** @default a new id */
  readonly id?: string;
  /** @default "agent" */
  readonly agent?: string;
  readonly userId?: string;
  /**
   * On whose behalf the session works. Idempotency keys, and answers that are fetched later, belong to one
   * principal. @default "local"
   */
  readonly principal?: string;
  /** What the user may do: a viewer may only read, and rules of the policy may name roles. @default "admin" */
  readonly role?: Role;
  /** The MCP endpoint that it came through, for rules of the policy. */
  readonly endpoint?: string;
  /** The task of calls that name none. */
  readonly taskId?: string;
  readonly iterationId?: string;
  /** Name of the toolset; what is not in it cannot be seen or called. @default "all" */
  readonly toolset?: string;
  /** Names or globs of the tools that the session sees; they narrow the toolset. @default every tool of the toolset */
  readonly tools?: readonly string[];
  /** Whether a tool may be found and described; it narrows the toolset. @default every tool of the toolset */
  readonly sees?: ((toolName: string) => boolean) | undefined;
  /**
   * Providers of the configuration's `tools.native` whose tools this session gets: those that its model was trained on.
   * @default all of `tools.native`
   */
  readonly native?: readonly ("anthropic" | "openai")[];
  /** Narrow the files that this session may touch. */
  readonly allowedPaths?: readonly string[];
  /** What the session's environment starts with. */
  readonly env?: Readonly<Record<string, string>>;
  /** How its own person is reached. @default the runtime's way */
  readonly interact?: InteractBackend | undefined;
  /** The MCP host that it works for. */
  readonly client?: ClientConnection | undefined;
  /** The program that it works for, shown wherever a person looks. @default what the MCP host says of itself */
  readonly clientInfo?: ClientInfo | undefined;
  /** Channels that may not consent to its calls unless the configuration names them. @default none */
  readonly closedChannels?: readonly ApprovalChannel[] | undefined;
}
