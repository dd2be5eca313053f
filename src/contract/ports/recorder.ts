import type { ToolEnvelope } from "../call.js";
import type { ClientInfo } from "./approval.js";

/** What is recorded of one call, refusals included. */
export interface CallRecord {
  readonly envelope: ToolEnvelope;
  /** The arguments as they were judged; redacted by whoever writes them down. */
  readonly arguments: unknown;
  readonly sessionId: string;
  readonly taskId: string | undefined;
  readonly agent: string;
  readonly userId: string | undefined;
  readonly parentCallId: string | undefined;
  /** The program that the session works for. */
  readonly client?: ClientInfo | undefined;
}

/** Keeps records. A returned promise is awaited before the answer leaves. */
export interface Recorder {
  readonly name: string;
  record(record: CallRecord): void | Promise<void>;
  close?(): void | Promise<void>;
}
