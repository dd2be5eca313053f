import type { CallMetadata, ContentPart, ToolEnvelope } from "../../contract/call.js";
import type { AuditRecord } from "../../contract/ports/audit.js";

/** The answer of a call from its record; redacted values stay redacted. */
export function envelopeOf(record: AuditRecord): ToolEnvelope {
  const { callId, tool, time, durationMs, error, result } = record;
  return {
    callId,
    toolName: tool,
    ...(error === undefined ? { success: true, result } : { success: false, error }),
    startedAt: time,
    completedAt: time + Math.round(durationMs),
    durationMs,
    metadata: metadataOf(record),
    content: contentOf(record),
  };
}

function metadataOf(record: AuditRecord): CallMetadata {
  const { sessionId, agent, version, taskId, parentCallId, requestId, decision } = record;
  const known = { version, taskId, parentCallId, requestId, decision, effects: record.effects };
  const given = Object.entries(known).filter(([, value]) => value !== undefined);
  return { sessionId, agent, ...Object.fromEntries(given), fromLog: true };
}

/** The log has the data of a result, not the text that the tool rendered. */
function contentOf({ error, result, resultDigest }: AuditRecord): readonly ContentPart[] {
  if (error !== undefined) return [{ type: "text", text: `${error.code}: ${error.message}` }];
  if (result === undefined && resultDigest !== undefined)
    return [{ type: "text", text: `[a result of ${resultDigest.bytes} bytes that was not kept]` }];
  return [{ type: "text", text: typeof result === "string" ? result : (JSON.stringify(result) ?? "") }];
}
