import type {
  ApprovalAnswer,
  ApprovalAnswerer,
  ApprovalRequest,
  ApprovalResolution,
  ConsoleReach,
} from "../contract/ports/interact.js";

/** An answer, and who gave it on which channel. */
export type GivenAnswer = ApprovalAnswer & { readonly by: ApprovalAnswerer };

/** A request that waits at the desk. */
export interface WaitingConsent {
  readonly request: ApprovalRequest;
  /** The problem with changed arguments; `undefined` if they can be used. */
  check(updatedArguments: unknown): string | undefined;
  /** The answer that counts. */
  deliver(answer: GivenAnswer): void;
  /** One person consented, and others must too. */
  onApproval(request: ApprovalRequest): void;
}

/** The outcome of an answer: only one counts for each request. */
export type AnswerOutcome =
  | { readonly status: "accepted" }
  /** It counts, and others must consent too. */
  | { readonly status: "counted"; readonly missing: number }
  /** It comes from the one in whose name the call is made. */
  | { readonly status: "own" }
  | { readonly status: "late"; readonly first: FirstAnswer }
  | { readonly status: "invalid"; readonly fault: string }
  | { readonly status: "closed" }
  | { readonly status: "unknown" };

/** How a request ended before another answer came. */
export type FirstAnswer = Pick<
  ApprovalResolution,
  "verdict" | "resolvedAt" | "channel" | "person" | "client" | "reason"
>;

/** Where requests for consent wait. All channels and processes answer here, so that one answer is the first. */
export interface ConsentDesk {
  open(waiting: WaitingConsent): Promise<void>;
  answer(id: string, answer: GivenAnswer): Promise<AnswerOutcome>;
  /** It does not wait any more. */
  close(resolution: ApprovalResolution): Promise<void>;
  /** The console that could answer, here or in another process; `undefined` where none runs. */
  reach(): Promise<ConsoleReach | undefined>;
}
