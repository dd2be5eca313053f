import type { ToolEnvelope } from "../../../contract/call.js";
import type { CallRecord } from "../../../contract/ports/recorder.js";
import { AuditRecorder, type AuditRecorderOptions } from "../audit-recorder.js";
import { SegmentWriter } from "../segment-writer.js";
import { createRestMaker } from "../to-rest.js";

/** A call that ended well. */
export function toRecord(
  callId: string,
  members: Partial<CallRecord> = {},
  envelope: Partial<ToolEnvelope> = {},
): CallRecord {
  return {
    arguments: { text: "hello", callId },
    sessionId: "session",
    taskId: "task",
    agent: "agent",
    userId: undefined,
    parentCallId: undefined,
    ...members,
    envelope: {
      callId,
      toolName: "echo",
      success: envelope.error === undefined,
      result: { text: "hello" },
      startedAt: 1_700_000_000_000,
      completedAt: 1_700_000_000_001,
      durationMs: 1.5,
      metadata: { sessionId: "session" },
      content: [],
      ...envelope,
    } as ToolEnvelope,
  };
}

/** A recorder on a directory, with real files and nothing hidden. */
export function openRecorder(dir: string, options: Partial<AuditRecorderOptions> = {}): AuditRecorder {
  return new AuditRecorder({
    open: () =>
      new SegmentWriter({ dir, owner: "test", isAlive: () => false, segmentBytes: 1 << 20, now: Date.now }),
    rests: createRestMaker({
      redact: (value) => value,
      aside: () => {
        throw new Error("Nothing is large here.");
      },
      keepResults: true,
      salt: () => "0123456789abcdef",
      durable: false,
    }),
    strict: false,
    running: { isQuiet: true },
    now: Date.now,
    onFault: () => {},
    onRestored: () => {},
    onAlert: () => {},
    ...options,
  });
}
