import type { LiveCall, PendingApproval, PendingQuestion } from "../api/types.js";

/** A call as the page knows it; never changed in place. */
export interface Call extends LiveCall {
  /** Absent where it was too large for the feed, or came before the page was open; the log has it. */
  readonly result?: unknown;
  readonly durationMs?: number;
  readonly attempts?: number;
  readonly message?: string;
}

/** `away`: a front of a fleet answers, but no worker does. */
export type Connection = "connecting" | "open" | "lost" | "away" | "unauthorised";

/** What all pages see; a new object whenever something changed. */
export interface FeedState {
  readonly version: number;
  readonly connection: Connection;
  /** Calls by id; the same map is changed in place, `version` tells when. */
  readonly calls: ReadonlyMap<string, Call>;
  /** Ids of calls, oldest first; changed in place as well. */
  readonly order: readonly string[];
  readonly approvals: readonly PendingApproval[];
  readonly questions: readonly PendingQuestion[];
  /** Goes up when tools came, went or changed their state. */
  readonly toolsMark: number;
  readonly dropped: number;
}

/** How many calls are kept in view. */
export const keptCalls = 20_000;

/** Output that is kept of one call. */
export const keptOutput = 65_536;
