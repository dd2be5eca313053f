import type { ErrorInfo } from "./errors.js";
import type { ApprovalResolution, ClientInfo } from "./ports/approval.js";

/** A call as the caller makes it. */
export interface ToolRequest {
  /**
   * The caller's own name for the call, returned as `metadata.requestId`; it may repeat. The `callId` is
   * always Tenon's own: one that `newCallId` gave out, or a new one.
   */
  readonly id?: string;
  /** A name, an alias, or `name@range`. */
  readonly name: string;
  readonly arguments?: unknown;
  /**
   * Names the call for 24 hours: sent again with the same tool and arguments, the first answer comes back and
   * nothing runs twice, in any process on this state. Calls that tools make have none.
   */
  readonly idempotencyKey?: string;
  readonly taskId?: string;
  /** Higher runs first among calls that are ready. @default the tool's */
  readonly priority?: number;
  /** @default the tool's own limit */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** A part of an answer for the model. A resource without text and bytes is a link to it. */
export type ContentPart = (
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly text?: string;
      /** Bytes as base64. */
      readonly blob?: string;
      readonly mimeType?: string;
    }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
      readonly mimeType?: string;
    }
) & {
  /** Other fields of the MCP content block, such as `annotations` and `_meta`. MCP hosts get them; models do not. */
  readonly more?: Readonly<Record<string, unknown>>;
};

/** What the result of an MCP server held besides its content. */
export interface McpResultFacts {
  /** The server sent `structuredContent`. */
  readonly structured: boolean;
  /** The server sent no content; what models are shown was made from the result. */
  readonly empty?: boolean | undefined;
  /** The result's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Other fields of the result. MCP hosts get them; models do not. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/** Why a call was allowed or not, by which rule. */
export interface AccessDecision {
  readonly behavior: "allow" | "ask" | "deny";
  /** The rule that decided, by its id. */
  readonly rule: string;
  readonly reason: string;
  /** Of `ask`: how many people must consent, where it is more than one. */
  readonly approvals?: number;
  /** Where the rule came from. */
  readonly source: string;
  /** The error code of a denial. @default "ACCESS_DENIED" */
  readonly code?: string;
  /** What to do about a denial. */
  readonly hint?: string;
  /** The setting of the configuration that lifts a limit which no rule lifts. */
  readonly liftedBy?: { readonly setting: string; readonly value: string | readonly string[] };
}

/** Facts about a call besides its result. */
export interface CallMetadata {
  /** The version of the tool that answered. */
  version?: string;
  sessionId: string;
  taskId?: string;
  agent?: string;
  parentCallId?: string;
  /** The id that the caller gave the call. */
  requestId?: string;
  decision?: AccessDecision;
  /** The program that the session works for. */
  client?: ClientInfo;
  /** What a person said to it, where one was asked. */
  approval?: ApprovalResolution;
  /** Milliseconds spent waiting for earlier calls and a free slot. */
  waitedMs?: number;
  /** Milliseconds spent waiting for a person: for consent, an answer or a review. */
  waitedForPersonMs?: number;
  attempts?: number;
  /** The fallback tool that answered in the place of the one that was asked for. */
  answeredBy?: string;
  /** The answer of an earlier call with the same idempotency key. */
  repeated?: boolean;
  /** The result comes from outside; the model must not follow instructions in it. */
  untrusted?: boolean;
  /** The answer is an MCP server's. */
  mcp?: McpResultFacts;
  [extra: string]: unknown;
}

/** The fields of every answer, whether the call succeeded or failed. */
export interface CallSummary {
  readonly callId: string;
  readonly toolName: string;
  /** Unix time in milliseconds. */
  readonly startedAt: number;
  readonly completedAt: number;
  readonly durationMs: number;
  readonly metadata: CallMetadata;
  /** Parts for the model, made from `result` by the tool's `render` when first asked for. */
  readonly content: readonly ContentPart[];
}

/** The answer of a call that succeeded. */
export interface SucceededCall<Result = unknown> extends CallSummary {
  readonly success: true;
  /** What the tool returned; `undefined` where it returned nothing. */
  readonly result: Result;
  readonly error?: undefined;
}

/** The answer of a call that failed, was refused, or was cancelled. */
export interface FailedCall extends CallSummary {
  readonly success: false;
  readonly error: ErrorInfo;
  readonly result?: undefined;
}

/**
 * The one shape of every answer. A call never throws: `success` says which of the two it is.
 *
 * @example
 * const answer = await session.call("read_file", { path: "README.md" });
 * if (answer.success) console.log(answer.result.content);
 * else console.error(answer.error.code, answer.error.message);
 */
export type ToolEnvelope<Result = unknown> = SucceededCall<Result> | FailedCall;
