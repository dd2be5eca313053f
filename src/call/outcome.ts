import type { ToolEnvelope } from "../contract/call.js";
import type { ToolError } from "../contract/errors.js";
import type { LoopAdvice } from "./advise-on.js";
import type { Call } from "./call.js";

/** How a call ended: with a result, or with an error. */
export interface Outcome {
  readonly call: Call;
  readonly result?: unknown;
  /** The answer of the fallback that stood in. */
  readonly standIn?: ToolEnvelope;
  readonly error?: ToolError;
  /** What is said of an error that came again and again. */
  readonly advice?: LoopAdvice | undefined;
}
