import type { ErrorInfo } from "../../contract/errors.js";

/** The outcome of a call whose process ended before it. */
export const interruptedError: ErrorInfo = {
  type: "ToolExecutionError",
  code: "CALL_INTERRUPTED",
  message:
    "The process that ran the call ended before the call did: it may have taken effect, or part of it.",
  hint: "Look at what is there before making the call again; `tenon log show` tells what is known of its effects.",
  retryable: false,
};
