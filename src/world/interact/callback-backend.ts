import { ToolExecutionError } from "../../contract/errors.js";
import type {
  Answer,
  ApprovalAnswer,
  ApprovalRequest,
  Asker,
  InteractBackend,
  Question,
} from "../../contract/ports/interact.js";

/** Functions of the host program that reach a person. */
export interface InteractCallbacks {
  ask?(question: Question, signal: AbortSignal, asker?: Asker): Answer | string | Promise<Answer | string>;
  approve?(
    request: ApprovalRequest,
    signal: AbortSignal,
  ): ApprovalAnswer | boolean | Promise<ApprovalAnswer | boolean>;
}

/** A back end made of the host program's own functions; what they do not offer is refused, not guessed. */
export function createCallbackBackend(callbacks: InteractCallbacks): InteractBackend {
  return {
    name: "callback",
    channel: "callback",
    available: () => true,
    async ask(question, signal, asker) {
      if (callbacks.ask === undefined) throw notOffered("questions");
      const answer = await callbacks.ask(question, signal, asker);
      return typeof answer === "string" ? { text: answer } : answer;
    },
    async approve(request, signal) {
      if (callbacks.approve === undefined) throw notOffered("approvals");
      const answer: unknown = await callbacks.approve(request, signal);
      return toApproval(answer);
    },
  };
}

/** Only a clear yes is one. */
function toApproval(answer: unknown): ApprovalAnswer {
  if (answer === true) return { verdict: "once" };
  if (answer === false) return { verdict: "no" };
  const { verdict, reason, updatedArguments } = (answer ?? {}) as Record<string, unknown>;
  if (verdict === "once" || verdict === "session" || verdict === "always") {
    return updatedArguments === undefined ? { verdict } : { verdict, updatedArguments };
  }
  return typeof reason === "string" ? { verdict: "no", reason } : { verdict: "no" };
}

function notOffered(what: string): ToolExecutionError {
  return new ToolExecutionError(`This program does not support ${what}.`, { code: "INTERACTION_FAILED" });
}
