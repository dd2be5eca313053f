import type { ToolEnvelope } from "../contract/call.js";
import type { TenonEvent } from "../contract/events.js";
import type { JsonSchema } from "../contract/json.js";
import type { ToolState } from "../contract/lifecycle.js";
import type {
  AuditAlert,
  AuditRecord,
  AuditVerdict,
  UsageSeries,
  UsageTotals,
} from "../contract/ports/audit.js";
import type { ClientMetricsRow } from "./client-counts.js";
import type { ApprovalResolution, ClientInfo } from "../contract/ports/interact.js";
import type { ChangeRecord, ChangeSelector, UndoneFile, UndoPreview } from "../contract/ports/journal.js";
import type { ToolAnnotations } from "../contract/tool.js";

/*
 * The HTTP API between the server and its console; the console imports its types from here.
 * Everything is under `/api` and in JSON. Programs send the token; the page sends its cookie and its own secret.
 * Every request other than GET needs the console's header and, if it has a body, `Content-Type: application/json`.
 */

/** Sent with any value on every request other than GET: a form of another site cannot send it. */
export const consoleHeader = "x-tenon-console";

/** Carries the page's own secret, on every request of the page. */
export const pageHeader = "x-tenon-page";

/** The `<meta>` that brings the page its secret when it was opened by a one-time link. */
export const pageSecretMeta = "tenon-page-secret";

/** The `<meta>` with the place in the console that a person wanted to open before signing in. */
export const returnToMeta = "tenon-return-to";

export type { BrowserSessionView, EntryLink, LoginMethods, SignedOut } from "./session-api.js";

/** `GET /api/about`: what the page shows first. */
export interface About {
  readonly version: string;
  readonly workspace: string;
  readonly mode: string;
  readonly toolset: string;
  readonly startedAt: number;
  readonly sandbox: { readonly held: boolean; readonly reason?: string | undefined };
  /** The script of the console that belongs to this server: a page with another one is of another version. */
  readonly consoleScript?: string | undefined;
}

/** `GET /api/feed` (SSE): events in order, each with its id; `Last-Event-ID` or `?after=` resumes after a break. */
export interface FeedItem {
  readonly id: number;
  readonly event: TenonEvent;
  /** Long texts and lists in it were cut, with a mark where something is missing. */
  readonly cut?: true | undefined;
}

/** What SSE sends first (`event: hello`), and again after events were lost. */
export interface FeedHello {
  /** Of the last event that was sent before this one. */
  readonly lastId: number;
  /** Events after the requested one were already dropped: reload everything. */
  readonly reset: boolean;
}

/**
 * `GET /api/calls?limit=500`: running and recent calls, newest first, with output only for running ones;
 * `GET /api/calls/:id`: one with its output and, when it has ended, its complete answer, also after a restart;
 * `POST /api/calls/:id/cancel` answers `{ cancelled: true }`.
 */
export interface LiveCall {
  readonly callId: string;
  /** The id that the caller gave it. */
  readonly requestId?: string | undefined;
  readonly toolName: string;
  readonly sessionId: string;
  readonly agent: string;
  /** The program that made the call. */
  readonly client?: ClientInfo | undefined;
  readonly taskId?: string | undefined;
  readonly parentCallId?: string | undefined;
  readonly requestedAt: number;
  /** Waited for a person from this time… */
  readonly askedAt?: number | undefined;
  /** …until this one. */
  readonly answeredAt?: number | undefined;
  /** How a person answered the request for consent. */
  readonly approval?: ApprovalResolution | undefined;
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly state: "waiting" | "asking" | "running" | "succeeded" | "failed";
  readonly arguments: unknown;
  /** The last pieces of output, at most 64 kB. */
  readonly output?: string | undefined;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string } | undefined;
}

/** One call; fields that the server no longer knows are left out. */
export interface FetchedCall extends Omit<LiveCall, "arguments"> {
  readonly arguments?: unknown;
  /** Its answer, once it has one. */
  readonly envelope?: ToolEnvelope | undefined;
}

export type { ConnectionView, JobOutputView, JobView, McpServerView, PluginView } from "./jobs-api.js";
export type { FleetView } from "./fleet-api.js";
export type {
  ApprovalBody,
  FirstAnswerView,
  PendingApproval,
  PendingQuestion,
  QuestionBody,
  RefuseBody,
} from "./person-api.js";

/** `GET /api/tools`; `POST /api/tools/:name/state` with `{ enabled }`. */
export interface ToolRow {
  readonly name: string;
  readonly version: string;
  readonly versions: readonly string[];
  readonly aliases: readonly string[];
  readonly category: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly state: ToolState;
  readonly health: { readonly status: string; readonly message: string };
  readonly enabled: boolean;
  /** About as many tokens as its definition is to a model. */
  readonly definitionTokens: number;
  /** Where it comes from: "built-in", "config", "plugin:NAME", "mcp:NAME", "code". */
  readonly origin: string;
}

/** `GET /api/tools/:name`. */
export interface ToolDetail extends ToolRow {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly examples: readonly { readonly title?: string | undefined; readonly input: unknown }[];
  readonly history: readonly {
    readonly from: string;
    readonly to: string;
    readonly at: number;
    readonly reason?: string;
  }[];
}

/** `POST /api/tools/:name/call` with `{ arguments }` answers with the envelope. */
export type CallAnswer = ToolEnvelope;

/** `GET /api/metrics?minutes=60`: the calls that ended in that time, and what runs now; `GET /api/metrics/series?minutes=60`: over time. */
export interface MetricsView {
  /** From when on calls are counted. If the log is turned off: since the server started, whatever range was requested. */
  readonly since: number;
  readonly total: UsageTotals;
  readonly tools: readonly ToolMetricsRow[];
  readonly concurrency: {
    readonly running: number;
    readonly waiting: number;
    readonly mean: number;
    readonly peak: number;
  };
  readonly host: { readonly memoryBytes: number; readonly cpuMs: number };
  readonly experiments: readonly ExperimentRow[];
  /** By MCP client, the busiest first. */
  readonly clients: readonly ClientMetricsRow[];
  readonly advice: readonly { readonly toolName: string; readonly kind: string; readonly message: string }[];
  readonly alerts: readonly AuditAlert[];
}

export type { ClientMetricsRow } from "./client-counts.js";

/** Numbers of one tool; its cost for a model is estimated. */
export interface ToolMetricsRow extends UsageTotals {
  readonly tool: string;
  /** Tokens of its definition; absent if the tool no longer exists. */
  readonly definitionTokens?: number | undefined;
  /** Tokens of a result, on average. */
  readonly resultTokens: number;
}

export interface ExperimentRow {
  readonly tool: string;
  readonly arms: readonly {
    readonly version: string;
    readonly weight: number;
    readonly calls: number;
    readonly failures: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
  }[];
}

/** Columns of equal length, oldest first: the intervals of the range that was asked for. */
export interface MetricsSeries extends UsageSeries {
  /** Where each interval begins. */
  readonly time: readonly number[];
  readonly widthMs: number;
}

/**
 * `GET /api/log?…` takes the fields of an `AuditQuery`; `GET /api/log/:id`, `POST /api/log/verify`,
 * `POST /api/log/replay` with `{ taskId }`.
 */
export interface LogPage {
  readonly records: readonly AuditRecord[];
  /** Give it as `before` for the next page. */
  readonly next?: number | undefined;
}
export type LogVerdict = AuditVerdict;
export interface ReplayView {
  readonly taskId: string;
  readonly same: boolean;
  readonly steps: readonly {
    readonly callId: string;
    readonly tool: string;
    readonly verdict: "same" | "different" | "skipped" | "failed";
    /** Why it was skipped. */
    readonly reason?: string | undefined;
    readonly difference?: string | undefined;
  }[];
  /** What makes the comparison less sure. */
  readonly notes?: readonly string[] | undefined;
}

export type {
  LargePart,
  LogTally,
  RecordPart,
  ShownRecord,
  TraceGroup,
  TraceSpan,
  TraceView,
} from "./trace-api.js";

export type { ConfigurationView, DoctorFinding, McpOffersView } from "./manage-api.js";

/** `GET /api/changes?path=&taskId=`: what the journal can take back; `POST /api/undo/preview`, `POST /api/undo` with a `ChangeSelector`. */
export type ChangeRow = ChangeRecord;
export type UndoBody = ChangeSelector;
export type UndoView = UndoPreview;
export type UndoAnswer = readonly UndoneFile[];

/** `GET /api/layers?callId=`: changes of commands that wait; `GET /api/layers/:id`: with the diff; `POST …/:id/commit | discard` with `{ paths? }`. */
export type { CommitReport, LayerView, WaitingLayer } from "../contract/ports/layers.js";

/** `GET /api/plan`: requirements, features, tasks, stages; `GET /api/memories?query=`. */
export interface PlanView {
  readonly iteration?: { readonly id: string; readonly name: string } | undefined;
  readonly stages: readonly { readonly stage: string; readonly status: string }[];
  readonly requirements: readonly Readonly<Record<string, unknown>>[];
  readonly features: readonly Readonly<Record<string, unknown>>[];
  readonly tasks: readonly Readonly<Record<string, unknown>>[];
}
export interface MemoryRow {
  readonly id: string;
  readonly kind: string;
  readonly scope: string;
  readonly title: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly createdAt: number;
  readonly status?: string | undefined;
  /** The only one who finds it, or the MCP endpoint at which it is found; neither where it is shared with all. */
  readonly principal?: string | undefined;
  readonly endpoint?: string | undefined;
}

export type { ExplainView, PolicyView, SimulationView } from "./policy-api.js";

export type {
  CreatedToken,
  EndpointView,
  HostView,
  LimitView,
  Page,
  SecretView,
  TokenView,
  UserView,
} from "./team-api.js";

/** Every failure: an HTTP status and this. */
export interface ApiError {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string | undefined;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
  };
}
