import type { ToolEnvelope } from "../contract/call.js";
import type { PromptFormat } from "../llm/print-tool-call.js";
import type { Reflection } from "../runtime/tasks/reflect.js";
import type { Session } from "../runtime/sessions/session.js";

/** What an agent does, as it happens. */
export type AgentEvent =
  | { readonly type: "step"; readonly step: number }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "call"; readonly callId: string; readonly toolName: string; readonly arguments: unknown }
  | { readonly type: "result"; readonly envelope: ToolEnvelope }
  /** The model wrote something that is no call that can be run; it is told so. */
  | { readonly type: "problem"; readonly message: string };

/** How an agent works. */
export interface AgentOptions {
  /** What it shall do. */
  readonly task: string;
  /** A language model of the AI SDK (`ai`), of whatever provider. */
  readonly model: object;
  /** Who calls. @default a new session of the agent "agent" */
  readonly session?: Session | undefined;
  /** Of a new session. @default the configuration's */
  readonly toolset?: string | undefined;
  /** Under which its calls are recorded. @default a new id */
  readonly taskId?: string | undefined;
  /** Put before what Tenon says to the model. */
  readonly system?: string | undefined;
  /** Answers of the model at most. @default 20 */
  readonly maxSteps?: number | undefined;
  /** Tokens of all steps together, in and out, after which no new step begins. @default no limit */
  readonly maxTokens?: number | undefined;
  /** Describe the tools in the prompt and read calls from the text: for models without tool calling. @default false */
  readonly promptTools?: boolean | PromptFormat | undefined;
  /** Tokens that the tools may take in the prompt, with `promptTools`. @default no limit */
  readonly promptTokens?: number | undefined;
  /** How long the model may be silent. @default 120000 */
  readonly idleTimeoutMs?: number | undefined;
  /** How often a failed request is sent again. @default 2 */
  readonly maxRetries?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
}

/** Why an agent stopped. */
export type AgentStop = "done" | "max-steps" | "budget" | "cancelled" | "error";

/** How an agent's work went. */
export interface AgentResult {
  readonly taskId: string;
  /** The last answer. */
  readonly text: string;
  readonly stopped: AgentStop;
  /** Where it stopped for an error. */
  readonly error?: string;
  readonly steps: number;
  readonly calls: number;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly reflection: Reflection;
}

/** A call that the model wants. */
export interface WantedCall {
  readonly id: string;
  /** As the model wrote it. */
  readonly name: string;
  /** The tool's true name. */
  readonly toolName: string;
  readonly arguments: unknown;
}

/** One answer of the model. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly WantedCall[];
  /** What it wrote that cannot be run, in words for the model. */
  readonly problems: readonly string[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

/** A conversation with a model in one of the two ways of calling tools. */
export interface Conversation {
  /** Let the model answer. */
  ask(signal: AbortSignal): Promise<ModelAnswer>;
  /** Tell it what came of its calls, in their order, and of what could not be run. */
  tell(answer: ModelAnswer, envelopes: readonly ToolEnvelope[]): void;
}
