import type { AccessDecision } from "./call.js";
import type { ErrorInfo } from "./errors.js";
import type { AuditAlert } from "./ports/audit.js";
import type { ApprovalRequest, ApprovalResolution, Asker, ClientInfo, Question } from "./ports/interact.js";
import type { ToolState } from "./lifecycle.js";
import type { ToolProgress } from "./tool.js";

export interface CallEvent {
  readonly callId: string;
  readonly toolName: string;
  readonly sessionId: string;
  readonly taskId?: string;
  readonly agent: string;
  /** The program that the session works for. */
  readonly client?: ClientInfo;
  readonly parentCallId?: string;
  /** The id that the caller gave the call. */
  readonly requestId?: string;
}

/** Every event and its payload. */
export interface TenonEvents {
  TOOL_CALL_REQUESTED: CallEvent & { readonly arguments: unknown };
  TOOL_CALL_STARTED: CallEvent & { readonly waitedMs: number; readonly decision?: AccessDecision };
  TOOL_CALL_PROGRESS: CallEvent & ToolProgress;
  TOOL_CALL_COMPLETED: CallEvent & { readonly result: unknown; readonly durationMs: number };
  TOOL_CALL_FAILED: CallEvent & { readonly error: ErrorInfo; readonly durationMs: number };
  TOOL_CALL_RETRIED: CallEvent & {
    readonly attempt: number;
    readonly delayMs: number;
    readonly error: ErrorInfo;
  };
  APPROVAL_REQUESTED: ApprovalRequest;
  APPROVAL_RESOLVED: ApprovalResolution;
  QUESTION_ASKED: Asker & { readonly question: Question; readonly expiresAt: number };
  QUESTION_ANSWERED: {
    readonly id: string;
    readonly callId: string;
    readonly sessionId: string;
    readonly toolName: string;
    readonly outcome: "answered" | "failed" | "expired" | "cancelled";
  };
  TOOL_REGISTERED: { readonly toolName: string; readonly version: string };
  TOOL_UNREGISTERED: { readonly toolName: string; readonly version: string };
  TOOL_STATE_CHANGED: {
    readonly toolName: string;
    readonly version: string;
    readonly from: ToolState;
    readonly to: ToolState;
    readonly reason?: string;
  };
  PLUGIN_LOADED: { readonly plugin: string; readonly version: string; readonly tools: readonly string[] };
  PLUGIN_UNLOADED: { readonly plugin: string };
  /** It could not be loaded or reloaded, or its process ended. */
  PLUGIN_FAILED: { readonly plugin: string; readonly message: string };
  LISTENER_FAILED: { readonly event: string; readonly message: string };
  /** Something that a person should look at: a burst, repeated denials, probing of forbidden paths. */
  AUDIT_ALERT: AuditAlert;
  /** Records of calls cannot be kept; told once, until it works again. */
  AUDIT_FAULT: { readonly message: string };
  /** They can again; `written` were made up for, `lost` could not be. */
  AUDIT_RESTORED: { readonly written: number; readonly lost: number };
  ADVICE: {
    readonly toolName: string;
    readonly kind: string;
    readonly message: string;
    readonly applied: boolean;
  };
}

/** The name of an event. */
export type EventName = keyof TenonEvents;

/** An event as listeners of all events get it. */
export type TenonEvent = {
  [N in EventName]: { readonly type: N; readonly time: number; readonly payload: TenonEvents[N] };
}[EventName];
