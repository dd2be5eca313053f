import { ToolExecutionError } from "../../contract/errors.js";
import type { TenonEvents } from "../../contract/events.js";
import type { Clock } from "../../contract/ports/clock.js";
import type { Answer, Asker, Interact, InteractBackend, Question } from "../../contract/ports/interact.js";

export interface AskOptions {
  readonly backend: InteractBackend | undefined;
  /** How long the person has. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Stops the call's own clock while the person thinks. */
  readonly pauseClock: () => () => void;
  /** The call that asks, under a new id for each question. */
  readonly asker: () => Asker;
  readonly emit: <N extends "QUESTION_ASKED" | "QUESTION_ANSWERED">(name: N, payload: TenonEvents[N]) => void;
  readonly redact: <T>(value: T) => T;
}

/** The way of one call to the person: refused at once where nobody is there, never a hang. */
export function createInteract(options: AskOptions): Interact {
  return {
    async ask(question, signal) {
      const { backend } = options;
      if (backend === undefined || !backend.available()) throw personUnavailable();
      const resume = options.pauseClock();
      try {
        return await askAndReport(backend, question, { ...options, signal });
      } finally {
        resume();
      }
    },
  };
}

interface Asking extends AskOptions {
  readonly signal: AbortSignal;
}

/** Ask, and let those who watch see the question and how it ended. */
async function askAndReport(backend: InteractBackend, question: Question, options: Asking): Promise<Answer> {
  const { clock, timeoutMs, emit, signal } = options;
  const asker = options.asker();
  const { id, callId, sessionId, toolName } = asker;
  const expiresAt = clock.now() + timeoutMs;
  emit("QUESTION_ASKED", { ...asker, question: options.redact(question), expiresAt });
  let outcome: TenonEvents["QUESTION_ANSWERED"]["outcome"] = "failed";
  try {
    const answer = await askWithin(backend, question, { ...options, ask: { ...asker, expiresAt } });
    outcome = "answered";
    return answer;
  } catch (thrown) {
    if (signal.aborted) outcome = "cancelled";
    else if (clock.now() >= expiresAt) outcome = "expired";
    throw thrown;
  } finally {
    emit("QUESTION_ANSWERED", { id, callId, sessionId, toolName, outcome });
  }
}

async function askWithin(
  backend: InteractBackend,
  question: Question,
  options: Asking & { readonly ask: Asker },
): Promise<Answer> {
  const leaving = new AbortController();
  const signal = AbortSignal.any([options.signal, leaving.signal]);
  const expiry = options.clock.sleep(options.timeoutMs, signal).then(() => {
    throw new ToolExecutionError(`Nobody answered within ${Math.round(options.timeoutMs / 1000)} s.`, {
      code: "INTERACTION_FAILED",
      hint: "Continue without the answer, or ask again later.",
    });
  });
  try {
    return await Promise.race([backend.ask(question, signal, options.ask), expiry]);
  } finally {
    expiry.catch(() => undefined); // it ends with the race
    leaving.abort();
  }
}

function personUnavailable(): ToolExecutionError {
  return new ToolExecutionError("No person is available to answer.", {
    code: "INTERACTION_FAILED",
    hint: "Continue with your best assumption and state it, or run where a person can answer.",
  });
}
