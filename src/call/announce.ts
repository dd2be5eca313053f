import type { TenonEvent, TenonEvents } from "../contract/events.js";
import type { Call } from "./call.js";

/** The events that belong to one call. */
type CallEventName =
  | "TOOL_CALL_REQUESTED"
  | "TOOL_CALL_STARTED"
  | "TOOL_CALL_PROGRESS"
  | "TOOL_CALL_COMPLETED"
  | "TOOL_CALL_FAILED"
  | "TOOL_CALL_RETRIED";

type OwnFields<N extends CallEventName> = Omit<
  TenonEvents[N],
  "callId" | "toolName" | "sessionId" | "taskId" | "agent" | "parentCallId"
>;

/** Tell the event bus and the stream of this call; the payload is made only where somebody listens. */
export function announce<N extends CallEventName>(call: Call, name: N, fields: () => OwnFields<N>): void {
  const { events, clock } = call.parts;
  const { onEvent, hypothetical } = call.origin;
  if (hypothetical === true) return;
  if (onEvent === undefined && !events.has(name)) return;
  const payload = { ...fields(), ...commonFields(call) } as unknown as TenonEvents[N];
  if (events.has(name)) events.emit(name, payload);
  onEvent?.({ type: name, time: clock.now(), payload } as TenonEvent);
}

/** Last in the payload, so that a tool's own progress cannot forge them. */
function commonFields(call: Call) {
  return {
    callId: call.callId,
    toolName: call.entry?.name ?? call.toolName,
    sessionId: call.session.id,
    agent: call.session.agent,
    ...(call.taskId !== undefined && { taskId: call.taskId }),
    ...(call.shownUnder !== undefined && { parentCallId: call.shownUnder.callId }),
  };
}
