import type { FeedItem, PendingApproval, PendingQuestion } from "../api/types.js";
import { type Call, keptOutput } from "./feed-state.js";

/** What events are written into; owned by the store. */
export interface FeedTables {
  readonly calls: Map<string, Call>;
  readonly order: string[];
  readonly approvals: Map<string, PendingApproval>;
  readonly questions: Map<string, PendingQuestion>;
  /** Approvals and questions that were answered, so that a late snapshot does not bring them back. */
  readonly answered: Set<string>;
  toolsMark: number;
}

type Event = FeedItem["event"];
type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** Write one event down. */
export function applyEvent(tables: FeedTables, { event, cut }: FeedItem): void {
  switch (event.type) {
    case "TOOL_CALL_REQUESTED":
      return requested(tables, event);
    case "TOOL_CALL_STARTED":
      return patch(tables, event, { state: "running", startedAt: event.time });
    case "TOOL_CALL_PROGRESS":
      return progress(tables, event);
    case "TOOL_CALL_RETRIED":
      return patch(tables, event, { attempts: event.payload.attempt });
    case "TOOL_CALL_COMPLETED":
      return patch(tables, event, {
        state: "succeeded",
        endedAt: event.time,
        durationMs: event.payload.durationMs,
        ...(cut !== true && { result: event.payload.result }),
      });
    case "TOOL_CALL_FAILED":
      if (!tables.calls.has(event.payload.callId)) requested(tables, event);
      return patch(tables, event, {
        state: "failed",
        endedAt: event.time,
        durationMs: event.payload.durationMs,
        error: event.payload.error,
      });
    case "APPROVAL_REQUESTED":
      // What came cut is shown when the server's list has brought it whole: nobody may answer a part of it.
      if (cut !== true) {
        // It comes again when one of several people has approved.
        if (event.payload.approvedBy !== undefined) tables.approvals.delete(event.payload.id);
        add(tables.approvals, tables.answered, event.payload);
      }
      return patch(tables, event, { state: "asking", askedAt: event.time, answeredAt: undefined });
    case "QUESTION_ASKED":
      if (cut !== true) add(tables.questions, tables.answered, { ...event.payload, askedAt: event.time });
      return patch(tables, event, { state: "asking", askedAt: event.time, answeredAt: undefined });
    case "APPROVAL_RESOLVED":
    case "QUESTION_ANSWERED":
      settle(tables, event.payload.id);
      return patch(tables, event, { state: "waiting", answeredAt: event.time });
    case "TOOL_REGISTERED":
    case "TOOL_UNREGISTERED":
    case "TOOL_STATE_CHANGED":
      tables.toolsMark += 1;
      return undefined;
    default:
      return undefined;
  }
}

/** Something that waited has its answer. */
export function settle(tables: FeedTables, id: string): void {
  tables.approvals.delete(id);
  tables.questions.delete(id);
  tables.answered.add(id);
}

/** How far a call is; a snapshot never sets one back. */
export function rankOf(state: Call["state"]): number {
  return { waiting: 0, asking: 1, running: 2, succeeded: 3, failed: 3 }[state];
}

/** What is there already stays. */
function add<T extends { readonly id: string }>(
  list: Map<string, T>,
  answered: ReadonlySet<string>,
  asked: T,
): void {
  if (!list.has(asked.id) && !answered.has(asked.id)) list.set(asked.id, asked);
}

function requested(
  tables: FeedTables,
  { payload, time }: Of<"TOOL_CALL_REQUESTED"> | Of<"TOOL_CALL_FAILED">,
): void {
  const { callId, toolName, sessionId, agent, taskId, parentCallId } = payload;
  const known = tables.calls.get(callId);
  // Callers choose ids and may choose one again: that is a new call then.
  if (known !== undefined && known.endedAt === undefined) return;
  if (known !== undefined) tables.order.splice(tables.order.lastIndexOf(callId), 1);
  tables.order.push(callId);
  const given = "arguments" in payload ? payload.arguments : undefined;
  const call = { callId, toolName, sessionId, agent, taskId, parentCallId };
  tables.calls.set(callId, { ...call, arguments: given, requestedAt: time, state: "waiting" });
}

function progress(tables: FeedTables, { payload }: Of<"TOOL_CALL_PROGRESS">): void {
  const call = tables.calls.get(payload.callId);
  if (call === undefined) return;
  const output = payload.output === undefined ? call.output : (call.output ?? "") + payload.output;
  tables.calls.set(payload.callId, {
    ...call,
    ...(output === undefined ? {} : { output: output.slice(-keptOutput) }),
    ...(payload.message === undefined ? {} : { message: payload.message }),
  });
}

function patch(
  tables: FeedTables,
  event: { readonly payload: { readonly callId: string } },
  change: Partial<Call>,
): void {
  const call = tables.calls.get(event.payload.callId);
  if (call === undefined || call.endedAt !== undefined) return;
  // An answer that comes after the start (a question within a running call) does not set the call back.
  const back =
    change.state !== undefined && change.state !== "asking" && rankOf(change.state) < rankOf(call.state);
  const state = back && call.startedAt !== undefined ? "running" : (change.state ?? call.state);
  tables.calls.set(call.callId, { ...call, ...change, state });
}
