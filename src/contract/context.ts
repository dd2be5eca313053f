import type { CallMetadata, ToolRequest } from "./call.js";
import type { Catalogue } from "./ports/catalogue.js";
import type { ClientConnection } from "./ports/client.js";
import type { Clock } from "./ports/clock.js";
import type { CodeSearch } from "./ports/code.js";
import type { SessionEnv } from "./ports/env.js";
import type { Files } from "./ports/files.js";
import type { Http } from "./ports/http.js";
import type { Interact } from "./ports/interact.js";
import type { Log } from "./ports/log.js";
import type { Outputs } from "./ports/outputs.js";
import type { Processes } from "./ports/processes.js";
import type { SeenFiles } from "./ports/seen.js";
import type { Store } from "./ports/store.js";
import type { OnStop } from "./ports/upstream.js";
import type { ShellFacts, ToolProgress } from "./tool.js";
import type { CallTool } from "./typed-call.js";

/** A call that a tool makes: it belongs to the task of the calling one and stops with it. */
export type NestedRequest = Omit<ToolRequest, "signal" | "taskId">;

/** What a call that a tool makes may say besides the tool and its arguments. */
export type NestedCallOptions = Omit<NestedRequest, "name" | "arguments">;

/** A tool's only access to files, processes, network and people; every port is guarded. */
export interface ToolContext {
  readonly callId: string;
  readonly sessionId: string;
  readonly taskId?: string | undefined;
  readonly iterationId?: string | undefined;
  readonly agent: string;
  readonly userId?: string | undefined;
  /** The MCP endpoint that the session came through. */
  readonly endpoint?: string | undefined;
  /** Paths this call is narrowed to. */
  readonly allowedPaths?: readonly string[] | undefined;
  /** Maximum characters of text for the model in an answer; longer text may be cut in the middle. */
  readonly maxTextChars?: number | undefined;
  /** The same in estimated tokens. */
  readonly maxTextTokens?: number | undefined;
  /** Fires when the call is cancelled or out of time. */
  readonly signal: AbortSignal;
  /** The same for a single listener: making a signal and listening to it costs as much as a small call. */
  readonly onStop?: OnStop | undefined;
  /** The tool's own `custom` block from the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly files: Files;
  /** What this session has read. */
  readonly seen: SeenFiles;
  /** What is known of the line that `shellLine` returned for this call, if the tool has one. */
  readonly shell?: ShellFacts | undefined;
  readonly processes: Processes;
  readonly code: CodeSearch;
  /** Outputs that are too large for an answer. */
  readonly outputs: Outputs;
  readonly http: Http;
  readonly store: Store;
  readonly interact: Interact;
  /** The MCP host that the session works for, where there is one. */
  readonly client?: ClientConnection | undefined;
  /** The tools that the agent can see. */
  readonly tools: Catalogue;
  readonly clock: Clock;
  readonly env: SessionEnv;
  readonly log: Log;
  /** Report progress or partial output. */
  readonly emit: (progress: ToolProgress | string) => void;
  /** Add facts to the answer's metadata. */
  readonly note?: ((facts: Partial<CallMetadata>) => void) | undefined;
  /** Call another tool with the same checks; it inherits this call's locks and slot. */
  readonly call: CallTool<NestedCallOptions, NestedRequest>;
}
