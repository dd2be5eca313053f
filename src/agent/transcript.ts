import { ToolDefinitionError } from "../contract/errors.js";
import { isRecord } from "../contract/is-record.js";
import type { AgentEvent, Conversation, ModelAnswer, WantedCall } from "./agent-types.js";

/** What a model answered, step by step. It is plain data, and `runAgent` runs it again in the place of a model. */
export interface AgentTranscript {
  readonly version: 1;
  readonly task: string;
  readonly steps: readonly TranscriptStep[];
}

/** One answer of the model, and what its calls returned. */
export interface TranscriptStep extends Omit<ModelAnswer, "calls"> {
  readonly calls: readonly TranscriptCall[];
}

/** A call of the model with its result. */
export interface TranscriptCall extends WantedCall {
  /** Not there if the call did not run. */
  readonly result?: { readonly success: boolean; readonly code?: string; readonly text: string };
}

/** A conversation in which a transcript answers; the results of its calls change nothing. */
export function createReplayedConversation(
  { steps }: AgentTranscript,
  onEvent: (event: AgentEvent) => void,
): Conversation {
  let next = 0;
  return {
    ask: async () => {
      const step = steps[next++];
      if (step === undefined)
        throw new ToolDefinitionError(`The transcript ends after ${steps.length} steps, without an answer.`);
      if (step.text !== "") onEvent({ type: "text", text: step.text });
      return step;
    },
    tell: () => {},
  };
}

/** Check what may have been read from a file. The results are left out: they are not used again. */
export function checkTranscript(given: unknown): AgentTranscript {
  if (!isRecord(given) || given["version"] !== 1) throw notATranscript("version 1 was expected");
  const { task, steps } = given;
  if (typeof task !== "string") throw notATranscript('"task" is not a text');
  if (!Array.isArray(steps)) throw notATranscript('"steps" is not a list');
  return { version: 1, task, steps: steps.map(checkStep) };
}

function checkStep(step: unknown, at: number): TranscriptStep {
  if (!isRecord(step) || typeof step["text"] !== "string" || !Array.isArray(step["calls"]))
    throw notATranscript(`step ${at + 1} has no text and calls`);
  const { problems, usage, cut } = step;
  return {
    text: step["text"],
    calls: step["calls"].map((call: unknown) => {
      if (!isRecord(call) || typeof call["toolName"] !== "string")
        throw notATranscript(`a call of step ${at + 1} names no tool`);
      const { toolName, id, name } = call;
      return {
        id: typeof id === "string" ? id : "",
        name: typeof name === "string" ? name : toolName,
        toolName,
        arguments: call["arguments"],
      };
    }),
    problems: Array.isArray(problems) ? problems.map(String) : [],
    usage: { inputTokens: countOf(usage, "inputTokens"), outputTokens: countOf(usage, "outputTokens") },
    ...((cut === "length" || cut === "content-filter") && { cut }),
  };
}

function countOf(usage: unknown, key: string): number {
  const count = isRecord(usage) ? Number(usage[key]) : 0;
  return Number.isFinite(count) ? count : 0;
}

function notATranscript(why: string): ToolDefinitionError {
  return new ToolDefinitionError(`This is not a transcript of an agent: ${why}.`, {
    hint: "Pass the transcript of a result of runAgent, or the file of `tenon agent --transcript`.",
  });
}
