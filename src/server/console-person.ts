import { ToolExecutionError } from "../contract/errors.js";
import type { Answer, ConsoleReach, InteractBackend } from "../contract/ports/interact.js";
import type { PendingQuestion } from "./api.js";

/** The person at the console: a way to ask, and the list of questions that wait for an answer. */
export interface ConsolePerson extends InteractBackend {
  /** Questions that wait, oldest first. */
  questions(): readonly PendingQuestion[];
  /**
   * Answer one; `false` if it does not wait (any more): the first answer counts.
   * @param answer `undefined`: the person does not want to answer.
   */
  answerQuestion(id: string, answer: Answer | undefined): boolean;
  /** The server is open; `reach` says where its pages are, and when one of them was last there. */
  serve(reach: () => ConsoleReach): void;
  /** Nobody will answer from now on: everything that waits is refused, and later requests immediately. */
  leave(): void;
}

export interface ConsolePersonOptions {
  readonly now: () => number;
  readonly newId: () => string;
  /** Questions that may wait at the same time. @default 1000 */
  readonly maxWaiting?: number | undefined;
}

/**
 * Ask the person who opens the console. A page may be opened after the question was asked, so a person counts as
 * reachable as long as the server runs; each request waits until its own time limit.
 */
export function createConsolePerson(options: ConsolePersonOptions): ConsolePerson {
  const questions = new Map<string, Waiting>();
  let left = false;
  let reach: (() => ConsoleReach) | undefined;
  return {
    name: "console",
    channel: "console",
    available: () => !left,
    reach: () => (left ? undefined : reach?.()),
    approve: () => Promise.reject(stopping()),
    ask(question, signal, asker) {
      const id = asker?.id ?? options.newId();
      const { callId = "", sessionId = "", toolName = "", agent, taskId, client, expiresAt } = asker ?? {};
      const who = { callId, sessionId, toolName, agent, taskId, client, expiresAt };
      const asked = { id, ...who, askedAt: options.now(), question };
      return new Promise<Answer>((resolve, reject) => {
        signal.throwIfAborted();
        if (left) throw stopping();
        if (questions.size >= (options.maxWaiting ?? 1000)) throw tooMany(questions.size);
        const stop = (): void => settle(() => reject(signal.reason as Error));
        const settle = (end: () => void): void => {
          questions.delete(id);
          signal.removeEventListener("abort", stop);
          end();
        };
        signal.addEventListener("abort", stop, { once: true });
        questions.set(id, {
          asked,
          answer: (given) => settle(() => resolve(given)),
          refuse: (reason) => settle(() => reject(reason)),
        });
      });
    },
    questions: () => [...questions.values()].map(({ asked }) => asked),
    answerQuestion(id, answer) {
      const waiting = questions.get(id);
      if (answer === undefined) waiting?.refuse(declined());
      else waiting?.answer(answer);
      return waiting !== undefined;
    },
    serve(where) {
      reach = where;
    },
    leave() {
      left = true;
      for (const { refuse } of questions.values()) refuse(stopping());
    },
  };
}

interface Waiting {
  readonly asked: PendingQuestion;
  readonly answer: (given: Answer) => void;
  readonly refuse: (reason: Error) => void;
}

function declined(): ToolExecutionError {
  return new ToolExecutionError("The person does not want to answer.", {
    code: "INTERACTION_FAILED",
    hint: "Continue with your best assumption and state it; do not ask the same question again.",
  });
}

function stopping(): ToolExecutionError {
  return new ToolExecutionError("Tenon is stopping, nobody can answer any more.", {
    code: "INTERACTION_FAILED",
  });
}

function tooMany(count: number): ToolExecutionError {
  return new ToolExecutionError(`${count} requests are already waiting for the person.`, {
    code: "INTERACTION_FAILED",
    hint: "Answer some of them in the console first.",
  });
}
