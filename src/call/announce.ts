import type { TenonEvent, TenonEvents } from "../contract/events.js";
import type { ReceivedCall } from "./receive.js";

type CallEventName =
  | "TOOL_CALL_REQUESTED"
  | "TOOL_CALL_STARTED"
  | "TOOL_CALL_PROGRESS"
  | "TOOL_CALL_COMPLETED"
  | "TOOL_CALL_FAILED"
  | "TOOL_CALL_RETRIED";

type OwnFields<N extends CallEventName> = Omit<
  TenonEvents[N],
  "callId" | "toolName" | "sessionId" | "taskId" | "agent" | "client" | "parentCallId" | "requestId"
>;

/** Tell the event bus and the stream of this call; the payload is built only if somebody listens. */
export function announce<N extends CallEventName>(
  call: ReceivedCall,
  name: N,
  fields: () => OwnFields<N>,
): void {
  const { parts, origin } = call.state;
  const { events, clock } = parts;
  const { onEvent, hypothetical } = origin;
  if (hypothetical === true) return;
  if (onEvent === undefined && !events.has(name)) return;
  const payload = withCommonFields(call, fields()) as unknown as TenonEvents[N];
  if (events.has(name)) events.emit(name, payload);
  onEvent?.({ type: name, time: clock.now(), payload } as TenonEvent);
}

/** Set last, so that a tool's progress cannot forge them, and one by one, which is faster than a spread. */
function withCommonFields(call: ReceivedCall, fields: object): object {
  const { session, resolved } = call.state;
  const payload = fields as Record<string, unknown>;
  payload["callId"] = call.callId;
  payload["toolName"] = resolved?.entry.name ?? call.toolName;
  payload["sessionId"] = session.id;
  payload["agent"] = session.agent;
  if (session.clientInfo !== undefined) payload["client"] = session.clientInfo;
  if (call.taskId !== undefined) payload["taskId"] = call.taskId;
  if (call.requestId !== undefined) payload["requestId"] = call.requestId;
  if (call.shownUnder !== undefined) payload["parentCallId"] = call.shownUnder.callId;
  return payload;
}
