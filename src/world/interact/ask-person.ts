import { ToolExecutionError } from "../../contract/errors.js";
import type { Clock } from "../../contract/ports/clock.js";
import type { Answer, Interact, InteractBackend, Question } from "../../contract/ports/interact.js";

export interface AskOptions {
  readonly backend: InteractBackend | undefined;
  /** How long the person has. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Stops the call's own clock while the person thinks. */
  readonly pauseClock: () => () => void;
}

/** The way of one call to the person: refused at once where nobody is there, never a hang. */
export function createInteract(options: AskOptions): Interact {
  return {
    async ask(question, signal) {
      const { backend } = options;
      if (backend === undefined || !backend.available()) throw nobodyThere();
      const resume = options.pauseClock();
      try {
        return await askWithin(backend, question, { ...options, signal });
      } finally {
        resume();
      }
    },
  };
}

async function askWithin(
  backend: InteractBackend,
  question: Question,
  options: AskOptions & { readonly signal: AbortSignal },
): Promise<Answer> {
  const leaving = new AbortController();
  const signal = AbortSignal.any([options.signal, leaving.signal]);
  const expiry = options.clock.sleep(options.timeoutMs, signal).then(() => {
    throw new ToolExecutionError(`Nobody answered within ${Math.round(options.timeoutMs / 1000)} s.`, {
      code: "INTERACTION_FAILED",
      hint: "Go on without the answer, or ask again later.",
    });
  });
  try {
    return await Promise.race([backend.ask(question, signal), expiry]);
  } finally {
    expiry.catch(() => undefined); // it ends with the race, whoever won
    leaving.abort();
  }
}

function nobodyThere(): ToolExecutionError {
  return new ToolExecutionError("Nobody is there to ask.", {
    code: "INTERACTION_FAILED",
    hint: "Go on with the best assumption and say which, or run where a person can answer.",
  });
}
