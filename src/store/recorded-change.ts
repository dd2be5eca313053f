import type { RecordedChange } from "../contract/ports/actor.js";

export interface ChangeRow {
  at: number;
  agent: string;
  session_id: string;
  call_id: string | null;
  what: string;
  note: string | null;
}

export function toRecorded(row: ChangeRow): RecordedChange {
  return {
    at: row.at,
    agent: row.agent,
    sessionId: row.session_id,
    ...(row.call_id !== null && { callId: row.call_id }),
    what: row.what,
    ...(row.note !== null && { note: row.note }),
  };
}
