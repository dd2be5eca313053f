import type * as ai from "ai";
import { ToolTimeoutError } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { AgentEvent, AnswerCut } from "./agent-types.js";

/** A call as the SDK parsed it. */
export interface StreamedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Why its input cannot be used. */
  readonly invalid?: string | undefined;
}

/** A complete answer of a model. */
export interface Streamed {
  readonly text: string;
  readonly calls: readonly StreamedCall[];
  readonly messages: readonly ai.ModelMessage[];
  readonly cut?: AnswerCut | undefined;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

export interface StreamRequest {
  readonly ai: typeof ai;
  readonly model: object;
  readonly system: string | undefined;
  readonly messages: readonly ai.ModelMessage[];
  readonly tools?: ai.ToolSet | undefined;
  readonly signal: AbortSignal;
  readonly idleTimeoutMs: number;
  readonly maxRetries: number;
  /** Called for each piece as it arrives. */
  readonly onEvent: (event: AgentEvent) => void;
}

/**
 * Stream an answer of the model; rejects if it fails, is silent for too long or is aborted. A stream that drops in
 * the middle is asked for again: the SDK retries only requests that fail before the first piece.
 */
export async function streamModel(request: StreamRequest): Promise<Streamed> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await streamOnce(request);
    } catch (error) {
      if (attempt >= request.maxRetries || request.signal.aborted || !isDropped(error)) throw error;
      request.onEvent({ type: "problem", message: `${messageOf(error)} Asking the model again.` });
    }
  }
}

/** The stream ended before the answer did. */
class DroppedStream extends Error {
  override name = "DroppedStream";
}

const dropCodes: ReadonlySet<unknown> = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "ERR_STREAM_PREMATURE_CLOSE",
]);

/** What providers of the SDK report where a stream ended without a reason. */
const dropNames: ReadonlySet<string> = new Set(["AI_InvalidResponseDataError", "AI_NoOutputGeneratedError"]);

function isDropped(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as { code?: unknown };
    if (at instanceof DroppedStream || dropCodes.has(code) || dropNames.has(at.name)) return true;
  }
  return false;
}

async function streamOnce(request: StreamRequest): Promise<Streamed> {
  const silence = new AbortController();
  const watch = watchSilence(request.idleTimeoutMs, silence);
  const signal = AbortSignal.any([request.signal, silence.signal]);
  try {
    return await whicheverFirst(readStream(request, signal, watch.heard), signal);
  } finally {
    watch.stop();
  }
}

async function readStream(request: StreamRequest, signal: AbortSignal, heard: () => void): Promise<Streamed> {
  const result = request.ai.streamText({
    model: request.model as ai.LanguageModel,
    ...(request.system !== undefined && { system: request.system }),
    messages: [...request.messages],
    ...(request.tools !== undefined && { tools: request.tools }),
    abortSignal: signal,
    maxRetries: request.maxRetries,
    onError: () => undefined, // told below
  });
  let text = "";
  const calls: StreamedCall[] = [];
  for await (const part of result.fullStream) {
    heard();
    if (part.type === "text-delta") {
      text += part.text;
      request.onEvent({ type: "text", text: part.text });
    } else if (part.type === "reasoning-delta") request.onEvent({ type: "thinking", text: part.text });
    else if (part.type === "tool-call") calls.push(toCall(part));
    else if (part.type === "error") throw part.error;
    else if (part.type === "abort") signal.throwIfAborted();
  }
  const [reason, raw] = [await result.finishReason, await result.rawFinishReason];
  // A provider names a reason whenever an answer is complete.
  if (reason === "other" && raw === undefined) throw new DroppedStream("The model's answer broke off.");
  const { messages } = await result.response;
  const { inputTokens, outputTokens } = await result.totalUsage;
  return {
    text,
    calls,
    messages,
    ...((reason === "length" || reason === "content-filter") && { cut: reason }),
    usage: {
      // Some servers report no usage; four characters per token keep a budget meaningful.
      inputTokens: inputTokens ?? Math.ceil(JSON.stringify(request.messages).length / 4),
      outputTokens: outputTokens ?? Math.ceil((text.length + JSON.stringify(calls).length) / 4),
    },
  };
}

function toCall(part: {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly invalid?: boolean | undefined;
  readonly error?: unknown;
}): StreamedCall {
  const call = { id: part.toolCallId, name: part.toolName, input: part.input };
  if (part.invalid !== true) return call;
  return { ...call, invalid: part.error instanceof Error ? part.error.message : "The call cannot be read." };
}

function watchSilence(ms: number, controller: AbortController): { heard: () => void; stop: () => void } {
  const start = (): NodeJS.Timeout =>
    setTimeout(() => {
      controller.abort(
        new ToolTimeoutError(`The model was silent for ${ms} ms.`, {
          hint: "Check the server, or raise idleTimeoutMs.",
        }),
      );
    }, ms);
  let timer = start();
  return {
    heard: () => {
      clearTimeout(timer);
      timer = start();
    },
    stop: () => clearTimeout(timer),
  };
}

/** A model that ignores its signal must not block the agent. */
async function whicheverFirst<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
    work.catch(() => undefined); // its failure after a stop is the stop's own
  }
}
