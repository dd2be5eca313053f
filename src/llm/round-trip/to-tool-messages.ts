import type { ContentPart, ToolEnvelope } from "../../contract/call.js";
import { isRecord } from "../../contract/is-record.js";
import { toLegalName } from "../legal-name.js";
import type { LLMTools } from "../to-llm-tools.js";
import type { RoundTripFormat } from "./provider-calls.js";
import { requireTools, unknownFormat } from "./read-tool-calls.js";

/** A message or item for a provider's API. */
export type ToolMessage = Readonly<Record<string, unknown>>;

/**
 * The answers of calls as the messages that go back to the provider. Anthropic and Gemini take all answers in one
 * message, OpenAI one message or item for each. An answer is matched to its call by the id that the call had.
 *
 * @param tools What `session.toLLMTools` returned and `readToolCalls` got: Gemini wants the name as the model wrote it,
 * and OpenAI wants items of their own for its native tools.
 * @example
 * input.push(...response.output, ...toToolMessages("openai-responses", [...answers, ...failures], tools));
 */
export function toToolMessages(
  format: RoundTripFormat,
  envelopes: readonly ToolEnvelope[],
  tools?: LLMTools,
): ToolMessage[] {
  const write = writers[format] as Writer | undefined;
  if (write === undefined) throw unknownFormat(format);
  requireTools(tools);
  if (!Array.isArray(envelopes) || !envelopes.every(isEnvelope))
    throw new TypeError(
      "toToolMessages expects an array of what session.call, callMany or readToolCalls returned.",
    );
  return envelopes.length === 0 ? [] : write(envelopes, tools);
}

function isEnvelope(value: unknown): boolean {
  return isRecord(value) && typeof value["success"] === "boolean" && isRecord(value["metadata"]);
}

type Writer = (envelopes: readonly ToolEnvelope[], tools: LLMTools | undefined) => ToolMessage[];

const writers: Readonly<Record<RoundTripFormat, Writer>> = {
  "openai-chat": (envelopes) =>
    envelopes.map((envelope) => ({ role: "tool", tool_call_id: idOf(envelope), content: textOf(envelope) })),
  "openai-responses": (envelopes, tools) =>
    envelopes.map((envelope) => {
      const id = idOf(envelope);
      const answer = nativeAnswers[tools?.made.get(id)?.answerType ?? ""];
      if (answer !== undefined) return answer(id, envelope);
      return { type: "function_call_output", call_id: id, output: responseOutput(envelope) };
    }),
  anthropic: (envelopes) => [
    {
      role: "user",
      content: envelopes.map((envelope) => ({
        type: "tool_result",
        tool_use_id: idOf(envelope),
        content: envelope.content.map(anthropicBlock),
        ...(!envelope.success && { is_error: true }),
      })),
    },
  ],
  gemini: (envelopes, tools) => [
    {
      role: "user",
      parts: envelopes.map((envelope) => {
        const { requestId } = envelope.metadata;
        const written = tools?.made.get(requestId ?? "")?.name;
        const name =
          (typeof written === "string" ? written : tools?.legalNameOf(envelope.toolName)) ??
          toLegalName(envelope.toolName, new Set());
        const response = { [envelope.success ? "output" : "error"]: textOf(envelope) };
        return { functionResponse: { ...(requestId !== undefined && { id: requestId }), name, response } };
      }),
    },
  ],
};

/** The items in which OpenAI takes the answers of its own tools, and of those that take free text. */
const nativeAnswers: Readonly<Record<string, (id: string, envelope: ToolEnvelope) => ToolMessage>> = {
  apply_patch_call_output: (id, envelope) => ({
    type: "apply_patch_call_output",
    call_id: id,
    status: envelope.success ? "completed" : "failed",
    output: textOf(envelope),
  }),
  custom_tool_call_output: (id, envelope) => ({
    type: "custom_tool_call_output",
    call_id: id,
    output: responseOutput(envelope),
  }),
  shell_call_output: (id, envelope) => {
    const { output, max_output_length: maxLength } = Object(envelope.result) as Record<string, unknown>;
    const failed = { stdout: "", stderr: textOf(envelope), outcome: { type: "exit", exit_code: 1 } };
    return {
      type: "shell_call_output",
      call_id: id,
      output: envelope.success && Array.isArray(output) ? output : [failed],
      ...(maxLength !== undefined && { max_output_length: maxLength }),
    };
  },
  local_shell_call_output: (id, envelope) => {
    const { stdout, stderr, exitCode, timedOut } = Object(envelope.result) as Record<string, unknown>;
    const result = envelope.success
      ? { stdout, stderr, exit_code: exitCode, ...(timedOut === true && { timed_out: true }) }
      : { error: textOf(envelope) };
    return { type: "local_shell_call_output", id, output: JSON.stringify(result) };
  },
};

function idOf({ metadata, toolName }: ToolEnvelope): string {
  if (metadata.requestId !== undefined) return metadata.requestId;
  throw new TypeError(
    `The answer of "${toolName}" cannot be matched to a call: pass the id of readToolCalls to session.call.`,
  );
}

/** All parts as text; what is not text is named. */
function textOf({ content }: ToolEnvelope): string {
  return content.map(partText).join("\n");
}

function partText(part: ContentPart): string {
  if (part.type === "text") return part.text;
  if (part.type === "resource") return part.text ?? `[resource: ${part.uri}]`;
  return `[${part.type}: ${part.mimeType}, not shown here]`;
}

function responseOutput(envelope: ToolEnvelope): unknown {
  if (!envelope.content.some(({ type }) => type === "image")) return textOf(envelope);
  return envelope.content.map((part) =>
    part.type === "image"
      ? { type: "input_image", image_url: `data:${part.mimeType};base64,${part.data}`, detail: "auto" }
      : { type: "input_text", text: partText(part) },
  );
}

function anthropicBlock(part: ContentPart): ToolMessage {
  if (part.type === "image")
    return { type: "image", source: { type: "base64", media_type: part.mimeType, data: part.data } };
  return { type: "text", text: partText(part) };
}
