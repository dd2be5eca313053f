import type { AuditGroup, AuditOutcome, AuditRecord, AuditTally } from "../contract/ports/audit.js";

/* What the server says about calls that belong together, and about large contents; part of `api.ts`. */

/** `GET /api/traces?by=task|session&text=`: the tasks or sessions with the newest calls, or those whose ids have a text. */
export type TraceGroup = AuditGroup;

/** One call of a trace. */
export interface TraceSpan {
  readonly callId: string;
  readonly parentCallId?: string | undefined;
  readonly tool: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly taskId?: string | undefined;
  readonly state: AuditOutcome | "waiting" | "asking" | "running";
  readonly time: number;
  /** Absent while it has not ended. */
  readonly durationMs?: number | undefined;
  /** How long a person was waited for. */
  readonly waitedForPersonMs?: number | undefined;
  /** When a person was asked for consent, and for how long. */
  readonly asked?: { readonly at: number; readonly waitedMs: number } | undefined;
  readonly errorCode?: string | undefined;
  /** Shortened. */
  readonly arguments: unknown;
  /** File changes of it that can be undone. */
  readonly changes?: number | undefined;
}

/** `GET /api/trace?task=`, `?session=` or `?call=` (the call with all that it belongs to): in the order in which the calls came. */
export interface TraceView {
  readonly spans: readonly TraceSpan[];
  /** There are more, older calls. */
  readonly truncated: boolean;
}

/** A text or list of a record that is too large to be sent at once. */
export interface LargePart {
  readonly of: "result" | "arguments";
  /** A JSON pointer to it. */
  readonly pointer: string;
  readonly kind: "text" | "list";
  /** Characters, or items. */
  readonly length: number;
  /** How many of them the record shows. */
  readonly shown: number;
}

/** `GET /api/log/:id/shown`: a record as a page can show it. */
export interface ShownRecord extends AuditRecord {
  readonly large: readonly LargePart[];
  /** File changes of it that can be undone. */
  readonly changes: number;
}

/** `GET /api/log/:id/part?of=&pointer=&from=&count=`: a piece of a large text or list. */
export interface RecordPart {
  readonly from: number;
  readonly length: number;
  readonly text?: string | undefined;
  readonly items?: readonly unknown[] | undefined;
}

/** `GET /api/log/tally?…&buckets=60`: how many records fit, over time. `GET /api/log/export?…&format=jsonl|csv` sends them. */
export type LogTally = AuditTally;
