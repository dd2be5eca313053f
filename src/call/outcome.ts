import type { ToolEnvelope } from "../contract/call.js";
import type { ToolError } from "../contract/errors.js";
import type { LoopAdvice } from "./advise-on.js";
import type { ReceivedCall } from "./receive.js";

/** How a call ended: with a result, or with an error. */
export interface Outcome {
  readonly call: ReceivedCall;
  readonly result?: unknown;
  /** The answer of the fallback that ran instead. */
  readonly standIn?: ToolEnvelope;
  readonly error?: ToolError;
  /** Added to an error that occurred again and again. */
  readonly advice?: LoopAdvice | undefined;
}
