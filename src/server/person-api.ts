import type {
  Answer,
  ApprovalRequest,
  ApprovalResolution,
  ClientInfo,
  Question,
} from "../contract/ports/interact.js";

/* What the server says about what waits for a person; part of `api.ts`. */

/**
 * `GET /api/approvals?client=&session=&tool=&agent=`: calls that wait for consent, oldest first, those of other
 * processes on the same state included; the feed tells of each with `APPROVAL_REQUESTED` and `APPROVAL_RESOLVED`.
 */
export interface PendingApproval extends ApprovalRequest {
  /** Another process asks; it is answered here all the same. */
  readonly elsewhere?: true | undefined;
}

/**
 * `POST /api/approvals/:id` answers one: 200 `ApprovalAnswered`; 400 with code `ARGUMENTS_INVALID` where changed
 * arguments do not fit (it still waits); 403 `CHANNEL_CLOSED`; 404 where there is no such request; 409 with code
 * `ALREADY_ANSWERED` and an `ApprovalTaken` as `details` where somebody was first.
 */
export type ApprovalBody =
  | { readonly verdict: "once" | "session" | "always"; readonly updatedArguments?: unknown }
  | { readonly verdict: "no"; readonly reason?: string | undefined };
export interface ApprovalAnswered {
  readonly answered: true;
  /** How many others must still approve, where one consent is not enough. */
  readonly missing?: number | undefined;
}

/** How a request ended before the answer came. */
export interface FirstAnswerView {
  readonly verdict: ApprovalResolution["verdict"];
  readonly at: number;
  readonly channel?: ApprovalResolution["channel"];
  readonly person?: string | undefined;
  readonly client?: ClientInfo | undefined;
  readonly reason?: string | undefined;
}

/** `POST /api/approvals/refuse`: say no to all that wait and fit; at least one of the filters is needed. */
export interface RefuseBody {
  readonly session?: string | undefined;
  readonly client?: string | undefined;
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  readonly reason?: string | undefined;
}
export interface RefusedAnswer {
  readonly refused: number;
}

/** `GET /api/questions`: questions of tools; `POST /api/questions/:id` with an `Answer`, or `{ "declined": true }`. */
export interface PendingQuestion {
  readonly id: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly toolName: string;
  readonly askedAt: number;
  readonly question: Question;
  readonly agent?: string | undefined;
  readonly taskId?: string | undefined;
  readonly client?: ClientInfo | undefined;
  readonly expiresAt?: number | undefined;
}
export type QuestionBody = Answer | { readonly declined: true };
