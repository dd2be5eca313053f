import type { ErrorInfo } from "../../contract/errors.js";

/** The outcome of a call whose process ended before it. */
export const interruptedError: ErrorInfo = {
  type: "ToolExecutionError",
  code: "CALL_INTERRUPTED",
  message:
    "The process that ran the call ended before the call did: it may have taken effect, or part of it.",
  hint: "Check the current state before making the call again; `tenon log show` shows what is known about its effects.",
  retryable: false,
};
