import type { AccessDecision } from "../call.js";
import type { ErrorInfo } from "../errors.js";
import type { ApprovalResolution, ClientInfo } from "./approval.js";

/** How a call ended, as the log tells it. */
export type AuditOutcome = "success" | "failure" | "denied" | "interrupted";

/** What is known of the effects of a call whose process ended before the call did. */
export interface InterruptedEffects {
  /** Files that the journal saw the call change, and how; a change that was rolled back is not among them. */
  readonly files: readonly { readonly path: string; readonly op: string }[];
  /** Why the list may be incomplete. */
  readonly note?: string | undefined;
}

/** One call in the log. */
export interface AuditRecord {
  /** Its place in the chain, from 1. */
  readonly seq: number;
  readonly callId: string;
  /** The place of the record that was written before the tool ran; read-only calls have none. */
  readonly start?: number | undefined;
  /** The id that the caller gave the call. */
  readonly requestId?: string | undefined;
  /** On whose behalf the session worked. @default "local" */
  readonly principal?: string | undefined;
  /** Set where a person acted and no tool was called: "cli", "console" or "library". */
  readonly act?: string | undefined;
  /** Unix time in milliseconds at which the call came. */
  readonly time: number;
  /** From the call to its answer, waiting included. */
  readonly durationMs: number;
  /** How much of it was spent waiting for a person: for consent, an answer or a review. */
  readonly waitedForPersonMs?: number | undefined;
  readonly tool: string;
  readonly version?: string | undefined;
  readonly sessionId: string;
  readonly taskId?: string | undefined;
  readonly agent: string;
  readonly userId?: string | undefined;
  readonly parentCallId?: string | undefined;
  readonly outcome: AuditOutcome;
  readonly decision?: AccessDecision | undefined;
  /** The program that the session worked for. */
  readonly client?: ClientInfo | undefined;
  /** What a person said to it, where one was asked. */
  readonly approval?: ApprovalResolution | undefined;
  /** Redacted. */
  readonly arguments: unknown;
  /** Redacted; absent where only its digest is in the record. */
  readonly result?: unknown;
  /** SHA-256 of a result that is kept aside, with its length in bytes. */
  readonly resultDigest?: { readonly sha256: string; readonly bytes: number } | undefined;
  /** The same of arguments. */
  readonly argumentsDigest?: { readonly sha256: string; readonly bytes: number } | undefined;
  /** When contents were taken out of it by `tenon state purge`. */
  readonly purged?: number | undefined;
  readonly error?: ErrorInfo | undefined;
  /** Of an interrupted call. */
  readonly effects?: InterruptedEffects | undefined;
  /** Why a content that belongs next to the log is missing; its digest is not. */
  readonly asideFault?: string | undefined;
  /** Of the record before it, and of this one. */
  readonly previous: string;
  readonly hash: string;
}

/** The record of a call that was about to run. */
export interface AuditStart extends Omit<
  AuditRecord,
  "durationMs" | "outcome" | "result" | "resultDigest" | "error" | "effects" | "start"
> {
  readonly kind: "start";
}

/** Which records are meant; all that is given must hold. */
export interface AuditQuery {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** A name or a glob. */
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  readonly taskId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Only of sessions of this principal. */
  readonly principal?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** In arguments, error or tool name. */
  readonly text?: string | undefined;
  /** Only records before this place: the next page. */
  readonly before?: number | undefined;
  /** @default 100 */
  readonly limit?: number | undefined;
}

/** The last record of the log: who has it can prove that nothing was cut off. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

/** The result of checking the log. */
export type AuditVerdict =
  | {
      readonly ok: true;
      readonly records: number;
      readonly head: AuditHead;
      /** What a person should know though nothing is wrong, such as the torn end of a killed process. */
      readonly notes?: readonly string[] | undefined;
    }
  | {
      readonly ok: false;
      readonly records: number;
      /** The first record that is wrong. */
      readonly seq: number;
      readonly problem: string;
    };

/** How many calls there were over time, in intervals of equal width. */
export interface AuditTally {
  readonly from: number;
  readonly widthMs: number;
  readonly total: number;
  /** Only the newest calls were counted, because the text of each had to be read. */
  readonly capped?: true | undefined;
  readonly counts: Readonly<Record<AuditOutcome, readonly number[]>>;
}

/** Numbers about some calls of the log. Times are in milliseconds, without the time in which a person was waited for. */
export interface UsageTotals {
  readonly calls: number;
  readonly failures: number;
  readonly denied: number;
  /** Of the calls that ran to their end; percentiles are right to 1 %. */
  readonly avgMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Calls that waited for a person, and how long. */
  readonly people: { readonly calls: number; readonly totalMs: number; readonly maxMs: number };
  /** Calls with a result, and its size in bytes of JSON. */
  readonly results: { readonly calls: number; readonly totalBytes: number };
  /** Failures and denials by the code of their error. */
  readonly errors: Readonly<Record<string, number>>;
}

/** Which calls are counted: those that ended in this time, of all or of some tools. */
export interface UsageRange {
  readonly since: number;
  readonly until: number;
  /** A name or a glob. */
  readonly tool?: string | undefined;
}

/** What the log says about a range of time: in total, tool by tool, and over time in intervals of equal width. */
export interface AuditUsage {
  readonly from: number;
  readonly widthMs: number;
  readonly total: UsageTotals;
  /** The most called first. */
  readonly tools: readonly (UsageTotals & { readonly tool: string })[];
  readonly series: UsageSeries;
}

/** Columns of equal length, one value for each interval. */
export interface UsageSeries {
  readonly calls: readonly number[];
  readonly failures: readonly number[];
  readonly denied: readonly number[];
  /** Of the calls that ended in the interval; `null` where none did. */
  readonly p50Ms: readonly (number | null)[];
  readonly p95Ms: readonly (number | null)[];
  readonly p99Ms: readonly (number | null)[];
  /** Calls that ran at once, on average. */
  readonly running: readonly number[];
  /** Calls that waited for a person at once, on average. */
  readonly waitingForPeople: readonly number[];
}

/** A task or a session of the log. */
export interface AuditGroup {
  readonly id: string;
  readonly calls: number;
  readonly failures: number;
  readonly denied: number;
  readonly first: number;
  readonly last: number;
}

/** Something that a person should look at. */
export interface AuditAlert {
  readonly time: number;
  readonly kind: "burst" | "denials" | "probing";
  readonly message: string;
  readonly sessionId?: string | undefined;
  readonly agent?: string | undefined;
}

/** The log of calls, for people. */
export interface AuditLog {
  /** Newest first. */
  search(query?: AuditQuery): Promise<readonly AuditRecord[]>;
  /** By call id or place in the chain; with the whole result where it was kept aside. */
  get(id: string | number): Promise<AuditRecord | undefined>;
  /** The record of a call that began, whether or not it has ended; read-only calls have none. */
  started?(callId: string): Promise<AuditStart | undefined>;
  head(): Promise<AuditHead>;
  /** @param head One that was noted outside earlier. */
  verify(head?: AuditHead | string): Promise<AuditVerdict>;
  /** Oldest first, one JSON text a record. */
  export(query?: AuditQuery): AsyncIterable<string>;
  /** What this process has seen, newest first. */
  alerts(): readonly AuditAlert[];
  /** How many calls fit the query, over time. @param buckets The number of intervals. */
  tally(query: AuditQuery, buckets: number): Promise<AuditTally>;
  /** Numbers about the calls that ended in a range of time. @param buckets The number of intervals. */
  usage(range: UsageRange, buckets: number): Promise<AuditUsage>;
  /** The tasks or sessions with the newest calls. */
  groups(by: "task" | "session", limit?: number): Promise<readonly AuditGroup[]>;
  /** What stands out among the records that are meant, newest first. */
  pastAlerts?(query?: AuditQuery): Promise<readonly AuditAlert[]>;
}
