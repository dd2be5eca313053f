import type { AnswerOutcome, GivenAnswer } from "../../call/consent-desk.js";
import { isOwnRequest } from "../../contract/four-eyes.js";
import type { ApprovalRequest, Approver } from "../../contract/ports/interact.js";

/** Why an answer does not count, in whichever process the request waits. */
export function refusalOf(request: ApprovalRequest, answer: GivenAnswer): AnswerOutcome | undefined {
  if (!request.channels.includes(answer.by.channel)) return { status: "closed" };
  if (answer.verdict === "no") return undefined;
  if (isOwnRequest(request, answer.by.principal)) return { status: "own" };
  if (isShared(request) && answer.updatedArguments !== undefined)
    return {
      status: "invalid",
      fault:
        "Several people must approve the same arguments, so nobody can change them. Decline the call instead.",
    };
  return undefined;
}

/** Several people must consent to it. */
export function isShared({ required = 1 }: ApprovalRequest): boolean {
  return required > 1;
}

/** The one who gave an answer, as one of several. */
export function toApprover(
  { by: { channel, principal = "local", person } }: GivenAnswer,
  at: number,
): Approver {
  return { principal, channel, ...(person !== undefined && { person }), at };
}
