import type { FirstAnswer } from "../../call/consent-desk.js";
import type { ApprovalRequest } from "../../contract/ports/interact.js";
import type { StoredApproval } from "../../contract/ports/state.js";

/** Nobody waits for it any more, though nobody closed it. */
export function isOver({ expiresAt }: ApprovalRequest, now: number): boolean {
  return now > expiresAt + 60_000;
}

/** How a request ends whose process is gone. */
export function endedWith(request: ApprovalRequest, now: number) {
  return isOver(request, now)
    ? unanswered("expired")
    : unanswered("cancelled", "The process that asked has ended.");
}

/** The answer where nobody gave one. */
export function unanswered(verdict: "expired" | "cancelled", reason?: string) {
  const why = reason ?? `The request ${verdict === "expired" ? "expired" : "was cancelled"}.`;
  return { verdict: "no", reason: why } as const;
}

/** How a request of another process ended. */
export function toFirst({ answer, resolvedAt = 0 }: StoredApproval): FirstAnswer {
  // Unanswered requests were closed by the process that asked.
  if (answer?.by === undefined) return { verdict: "cancelled", resolvedAt, reason: reasonOf(answer) };
  return { verdict: answer.verdict, resolvedAt, ...answer.by, reason: reasonOf(answer) };
}

function reasonOf(answer: StoredApproval["answer"]): string | undefined {
  return answer?.verdict === "no" ? answer.reason : undefined;
}
