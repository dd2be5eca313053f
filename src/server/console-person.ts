import { ToolExecutionError } from "../contract/errors.js";
import type { Answer, ApprovalAnswer, ApprovalRequest, InteractBackend } from "../contract/ports/interact.js";
import type { PendingQuestion } from "./api.js";

/** The person at the console: a way to ask, and the lists of what waits for an answer. */
export interface ConsolePerson extends InteractBackend {
  /** Calls that wait for consent, oldest first. */
  approvals(): readonly ApprovalRequest[];
  /** Questions that wait, oldest first. */
  questions(): readonly PendingQuestion[];
  /** Answer one; `false` where it does not wait (any more): the first answer counts. */
  answerApproval(id: string, answer: ApprovalAnswer): boolean;
  /** @param answer `undefined`: the person does not want to answer. */
  answerQuestion(id: string, answer: Answer | undefined): boolean;
  /** Nobody will answer any more: what waits is refused now, what comes later at once. */
  leave(): void;
}

export interface ConsolePersonOptions {
  readonly now: () => number;
  readonly newId: () => string;
  /** Requests that may wait at the same time. @default 1000 */
  readonly mostWaiting?: number | undefined;
}

/**
 * Ask whoever opens the console. A page may be opened after the question was put, so somebody counts as
 * there for as long as the server runs; each request waits until its own time limit.
 */
export function createConsolePerson(options: ConsolePersonOptions): ConsolePerson {
  const approvals = new Map<string, Waiting<ApprovalRequest, ApprovalAnswer>>();
  const questions = new Map<string, Waiting<PendingQuestion, Answer>>();
  let left = false;
  const wait = <Asked, Given>(
    list: Map<string, Waiting<Asked, Given>>,
    { id, asked, signal }: { id: string; asked: Asked; signal: AbortSignal },
  ): Promise<Given> =>
    new Promise<Given>((resolve, reject) => {
      signal.throwIfAborted();
      if (left) throw stopping();
      if (list.size >= (options.mostWaiting ?? 1000)) throw tooMany(list.size);
      const stop = (): void => settle(() => reject(signal.reason as Error));
      const settle = (end: () => void): void => {
        list.delete(id);
        signal.removeEventListener("abort", stop);
        end();
      };
      signal.addEventListener("abort", stop, { once: true });
      list.set(id, {
        asked,
        answer: (given) => settle(() => resolve(given)),
        refuse: (reason) => settle(() => reject(reason)),
      });
    });
  return {
    name: "console",
    channel: "console",
    available: () => !left,
    approve: (request, signal) => wait(approvals, { id: request.id, asked: request, signal }),
    ask(question, signal, asker) {
      const id = asker?.id ?? options.newId();
      const { callId = "", sessionId = "", toolName = "", agent, expiresAt } = asker ?? {};
      const asked = { id, callId, sessionId, toolName, agent, expiresAt, askedAt: options.now(), question };
      return wait(questions, { id, asked, signal });
    },
    approvals: () => [...approvals.values()].map(({ asked }) => asked),
    questions: () => [...questions.values()].map(({ asked }) => asked),
    answerApproval(id, answer) {
      const waiting = approvals.get(id);
      waiting?.answer(answer);
      return waiting !== undefined;
    },
    answerQuestion(id, answer) {
      const waiting = questions.get(id);
      if (answer === undefined) waiting?.refuse(declined());
      else waiting?.answer(answer);
      return waiting !== undefined;
    },
    leave() {
      left = true;
      for (const { refuse } of [...approvals.values(), ...questions.values()]) refuse(stopping());
    },
  };
}

interface Waiting<Asked, Given> {
  readonly asked: Asked;
  readonly answer: (given: Given) => void;
  readonly refuse: (reason: Error) => void;
}

function declined(): ToolExecutionError {
  return new ToolExecutionError("The person does not want to answer.", {
    code: "INTERACTION_FAILED",
    hint: "Go on with the best assumption and say which; do not ask the same again.",
  });
}

function stopping(): ToolExecutionError {
  return new ToolExecutionError("Tenon is stopping, nobody can answer any more.", {
    code: "INTERACTION_FAILED",
  });
}

function tooMany(count: number): ToolExecutionError {
  return new ToolExecutionError(`${count} requests wait for the person already.`, {
    code: "INTERACTION_FAILED",
    hint: "Answer some of them in the console first.",
  });
}
