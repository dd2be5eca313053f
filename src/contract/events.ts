import type { AccessDecision } from "./call.js";
import type { ErrorInfo } from "./errors.js";
import type { ApprovalRequest } from "./ports/interact.js";
import type { ToolState } from "./lifecycle.js";
import type { ToolProgress } from "./tool.js";

interface CallEvent {
  readonly callId: string;
  readonly toolName: string;
  readonly sessionId: string;
  readonly taskId?: string;
  readonly agent: string;
  readonly parentCallId?: string;
}

/** Every event and its payload. */
export interface TenonEvents {
  TOOL_CALL_REQUESTED: CallEvent & { readonly params: unknown };
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
  APPROVAL_RESOLVED: {
    readonly id: string;
    readonly callId: string;
    readonly toolName: string;
    readonly verdict: "once" | "session" | "always" | "no" | "expired" | "cancelled";
    readonly reason?: string;
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
  LISTENER_FAILED: { readonly event: string; readonly message: string };
  ADVICE: {
    readonly toolName: string;
    readonly kind: string;
    readonly message: string;
    readonly applied: boolean;
  };
}

export type EventName = keyof TenonEvents;

/** An event as listeners of all events get it. */
export type TenonEvent = {
  [N in EventName]: { readonly type: N; readonly time: number; readonly payload: TenonEvents[N] };
}[EventName];
