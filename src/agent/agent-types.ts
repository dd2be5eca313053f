import type { ToolEnvelope } from "../contract/call.js";
import type { PromptFormat } from "../llm/print-tool-call.js";
import type { Reflection } from "../runtime/tasks/reflect.js";
import type { AgentTranscript } from "./transcript.js";
import type { Session } from "../runtime/sessions/session.js";

/** What an agent does, as it happens. */
export type AgentEvent =
  | { readonly type: "step"; readonly step: number }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "call"; readonly callId: string; readonly toolName: string; readonly arguments: unknown }
  | { readonly type: "result"; readonly envelope: ToolEnvelope }
  /** The model wrote a call that cannot be run; the message is sent to it. */
  | { readonly type: "problem"; readonly message: string };

/** How an agent works. */
export interface AgentOptions {
  /** What to do. @default the task of the transcript */
  readonly task?: string | undefined;
  /** A language model of the AI SDK (`ai`), of any provider. */
  readonly model?: object | undefined;
  /** A transcript that answers in the place of a model: its calls run again, with the usual checks. */
  readonly transcript?: AgentTranscript | undefined;
  /** The session that makes the calls. @default a new session of the agent "agent" */
  readonly session?: Session | undefined;
  /** The toolset of a new session. @default the configuration's */
  readonly toolset?: string | undefined;
  /** The task id to record the calls under. @default a new id */
  readonly taskId?: string | undefined;
  /** Text to add at the start of the system prompt. */
  readonly system?: string | undefined;
  /** Maximum number of model responses. @default 20 */
  readonly maxSteps?: number | undefined;
  /** Token budget for all steps, input and output; no new step starts beyond it. @default no limit */
  readonly maxTokens?: number | undefined;
  /** Describe the tools in the prompt and read calls from the text, for models without tool calling. @default false */
  readonly promptTools?: boolean | PromptFormat | undefined;
  /** Maximum number of prompt tokens for the tools, with `promptTools`. @default no limit */
  readonly promptTokens?: number | undefined;
  /** How long the model may be silent. @default 120000 */
  readonly idleTimeoutMs?: number | undefined;
  /** How often a failed request is retried. @default 2 */
  readonly maxRetries?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
}

/**
 * Why an agent stopped. `length`: the answer was cut at the model's limit of output. `content-filter`: the provider
 * withheld the answer; its calls did not run.
 */
export type AgentStop = "done" | "length" | "content-filter" | "max-steps" | "budget" | "cancelled" | "error";

/** The outcome of an agent's work. */
export interface AgentResult {
  readonly taskId: string;
  /** The last answer. */
  readonly text: string;
  readonly stopped: AgentStop;
  /** Set if it stopped because of an error. */
  readonly error?: string;
  readonly steps: number;
  readonly calls: number;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly reflection: Reflection;
  /** What the model answered and what its calls returned; pass it to `runAgent` to run it again. */
  readonly transcript: AgentTranscript;
}

/** A call requested by the model. */
export interface WantedCall {
  readonly id: string;
  /** As the model wrote it. */
  readonly name: string;
  /** The tool's registered name. */
  readonly toolName: string;
  readonly arguments: unknown;
}

/** Why an answer is not whole. */
export type AnswerCut = "length" | "content-filter";

/** One answer of the model. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly WantedCall[];
  /** Why calls it wrote cannot be run, as text for the model. */
  readonly problems: readonly string[];
  /** Set if it is not the whole answer. */
  readonly cut?: AnswerCut | undefined;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

/** A conversation with a model, by native tool calling or by text. */
export interface Conversation {
  /** Get the next answer of the model. */
  ask(signal: AbortSignal): Promise<ModelAnswer>;
  /** Send the results of its calls, in order, and what could not be run. */
  tell(answer: ModelAnswer, envelopes: readonly ToolEnvelope[]): void;
}
