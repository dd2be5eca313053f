import { ToolUnavailableError } from "../contract/errors.js";
import type { Sql } from "./sql.js";

/** How much a workspace's state keeps. What is refused beyond its limit says so; the rest drops its oldest. */
export interface StateLimits {
  /** More are refused. */
  readonly maxMemories: number;
  /** Of requirements, features and tasks, each; more are refused. */
  readonly maxPlanRecords: number;
  /** More are refused. */
  readonly maxSnippets: number;
  /** Former versions of one snippet; the oldest are dropped. */
  readonly maxSnippetVersions: number;
  /** Versions of one document; the oldest are dropped. */
  readonly maxArtifactVersions: number;
  /** More are refused. */
  readonly maxIterations: number;
  /** Changes that the history of one plan record or iteration tells; the oldest are dropped. */
  readonly maxHistory: number;
  /** Named sessions; those that were not changed for the longest time are dropped. */
  readonly maxSessions: number;
  /** Answered requests for consent; the oldest are dropped. */
  readonly maxApprovals: number;
  /** Values that one tool keeps; more are refused. */
  readonly maxValues: number;
  /** Bytes of the values that one tool keeps; more are refused. */
  readonly maxValueBytes: number;
}

/** What counts where nothing is configured. */
export const defaultStateLimits: StateLimits = {
  maxMemories: 100_000,
  maxPlanRecords: 20_000,
  maxSnippets: 10_000,
  maxSnippetVersions: 100,
  maxArtifactVersions: 100,
  maxIterations: 10_000,
  maxHistory: 1_000,
  maxSessions: 1_000,
  maxApprovals: 10_000,
  maxValues: 100_000,
  maxValueBytes: 256 * 1024 * 1024,
};

export interface Bound {
  readonly table: "memories" | "requirements" | "features" | "tasks" | "snippets" | "iterations";
  readonly setting: keyof StateLimits;
  readonly max: number;
  /** What else helps besides raising the limit. */
  readonly instead?: string;
}

/** Refuse one more row where the table is full. Its numbers only grow, so few rows need to be counted for that. */
export async function refuseBeyond(tx: Sql, { table, setting, max, instead }: Bound): Promise<void> {
  const last = await tx.get<{ number: number | null }>(`SELECT max(number) AS number FROM ${table}`);
  if ((last?.number ?? 0) < max) return;
  const found = await tx.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
  if ((found?.count ?? 0) < max) return;
  throw fullError(`${found?.count} ${table}, and at most ${max} are kept`, setting, instead);
}

/** Say that a limit was reached, and which setting it is. */
function fullError(what: string, setting: string, instead?: string): ToolUnavailableError {
  const raise = `raise state.${setting} in the configuration`;
  return new ToolUnavailableError(`The state is full: it has ${what} (state.${setting}).`, {
    code: "QUOTA_SPENT",
    hint: instead === undefined ? `To keep more, ${raise}.` : `${instead}, or ${raise}.`,
    retryable: false,
  });
}
