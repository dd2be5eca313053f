import type { ApprovalAnswer, ApprovalRequest, Approver } from "./ports/interact.js";

/** The request with one more consent; the same principal counts once. */
export function withApprover(request: ApprovalRequest, approver: Approver): ApprovalRequest {
  const { approvedBy = [] } = request;
  if (approvedBy.some(({ principal }) => principal === approver.principal)) return request;
  return { ...request, approvedBy: [...approvedBy, approver] };
}

/** How many people must still consent. */
export function missingApprovals({ required = 1, approvedBy = [] }: ApprovalRequest): number {
  return Math.max(required - approvedBy.length, 0);
}

/** The answer that all consents together are; `undefined` while one is missing. */
export function toLastAnswer(request: ApprovalRequest): ApprovalAnswer | undefined {
  const { approvedBy = [] } = request;
  const last = approvedBy.at(-1);
  if (last === undefined || missingApprovals(request) > 0) return undefined;
  const { channel, principal, person } = last;
  const by = {
    channel,
    ...(principal !== "local" && { principal }),
    ...(person !== undefined && { person }),
  };
  // It counts for this call only: nobody consented to a rule.
  return { verdict: "once", by, approvedBy };
}

/**
 * Whether an answer comes from the one in whose name the call is made. One person alone may consent to what their own
 * agents do; where there are several, or the call is a user's, somebody else has to.
 */
export function isOwnRequest(
  { userId, required = 1 }: ApprovalRequest,
  principal: string | undefined,
): boolean {
  if (userId === undefined && required === 1) return false;
  return (userId ?? "local") === (principal ?? "local");
}
