import type { AccessDecision, ToolEnvelope } from "../call.js";
import type { ApprovalResolution, ClientInfo } from "./approval.js";

/** Who made a call, and for what. */
export interface CallOwner {
  readonly sessionId: string;
  readonly taskId: string | undefined;
  readonly agent: string;
  readonly userId: string | undefined;
  readonly parentCallId: string | undefined;
  /** The program that the session works for. */
  readonly client?: ClientInfo | undefined;
  /** The id that the caller gave the call. */
  readonly requestId?: string | undefined;
  /** On whose behalf the session works; only the same principal may fetch the answer later. */
  readonly principal?: string | undefined;
  /** Set where a person acted and no tool was called: the place they acted from. */
  readonly act?: string | undefined;
}

/** What is recorded of a call that may change something, before its tool runs. */
export interface CallStart extends CallOwner {
  readonly callId: string;
  readonly toolName: string;
  readonly version: string | undefined;
  /** Unix time in milliseconds. */
  readonly startedAt: number;
  /** The arguments as they were judged; the recorder redacts them. */
  readonly arguments: unknown;
  readonly decision: AccessDecision | undefined;
  /** What a person said to it, where one was asked. */
  readonly approval?: ApprovalResolution | undefined;
}

/** What is recorded of one call, refusals included. */
export interface CallRecord extends CallOwner {
  readonly envelope: ToolEnvelope;
  /** The arguments as they were judged; the recorder redacts them. */
  readonly arguments: unknown;
}

/** Keeps records. A returned promise is awaited before the answer leaves. */
export interface Recorder {
  readonly name: string;
  /** Told of a call that may change something before its tool runs; the call is refused where this fails. */
  start?(start: CallStart): void | Promise<void>;
  record(record: CallRecord): void | Promise<void>;
  close?(): void | Promise<void>;
}
