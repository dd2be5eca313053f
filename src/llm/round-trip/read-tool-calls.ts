import type { FailedCall, ToolRequest } from "../../contract/call.js";
import { isRecord } from "../../contract/is-record.js";
import { nearest } from "../../schema/nearest.js";
import { parseJson } from "../../schema/parse-json.js";
import type { LLMTools } from "../to-llm-tools.js";
import { itemReaders, type RawToolCall, type RoundTripFormat } from "./provider-calls.js";

/** A call that a model made: it can be passed to `session.call` as it is. */
export interface ReadToolCall extends Pick<ToolRequest, "id" | "name" | "arguments"> {
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The calls in a provider's message. */
export interface ReadToolCalls {
  /** For `session.callMany`. */
  readonly calls: readonly ReadToolCall[];
  /** Calls that cannot be run, as answers: the model must be told of each. */
  readonly failures: readonly FailedCall[];
}

/**
 * Read the tool calls of a provider's message: the message itself, or the whole response. Calls that the provider
 * carried out itself are left out. It never throws for what a model wrote.
 *
 * @param tools What `session.toLLMTools` returned: names and arguments are translated back by it.
 * @example
 * const { calls, failures } = readToolCalls("openai-chat", completion, tools);
 * const answers = await session.callMany(calls);
 * messages.push(message, ...toToolMessages("openai-chat", [...answers, ...failures], tools));
 */
export function readToolCalls(format: RoundTripFormat, message: unknown, tools?: LLMTools): ReadToolCalls {
  const read = itemReaders[format] as ((message: unknown) => RawToolCall[]) | undefined;
  if (read === undefined) throw unknownFormat(format);
  requireTools(tools);
  const found = read(message);
  if (found.length === 0) refuseOther(format, message);
  const calls: ReadToolCall[] = [];
  const failures: FailedCall[] = [];
  for (const raw of found) {
    const result = toCall(raw, tools);
    if (raw.id !== undefined)
      tools?.made.set(raw.id, {
        name: raw.name,
        ...(raw.answerType !== undefined && { answerType: raw.answerType }),
      });
    if ("fault" in result) failures.push(toFailure(raw, result.fault));
    else calls.push(result);
  }
  return { calls, failures };
}

/** An answer without calls ends a conversation: one of another provider must not count as such. */
function refuseOther(format: RoundTripFormat, message: unknown): void {
  for (const [other, read] of Object.entries(itemReaders)) {
    if (other !== format && read(message).some(({ fault }) => fault === undefined))
      throw new TypeError(`This message has calls in the format "${other}", not "${format}".`);
  }
}

/** Refuse anything but what `toLLMTools` of a session returned. */
export function requireTools(tools: unknown): void {
  if (tools === undefined || (isRecord(tools) && typeof tools["toolNameOf"] === "function")) return;
  throw new TypeError("Pass the whole object that session.toLLMTools(format) returned, not only its tools.");
}

/** The error for a format that does not exist. */
export function unknownFormat(format: unknown): TypeError {
  const known = Object.keys(itemReaders);
  const meant = nearest(String(format), known);
  const hint = meant === undefined ? `Available formats: ${known.join(", ")}.` : `Did you mean "${meant}"?`;
  return new TypeError(`Unknown format "${String(format)}". ${hint}`);
}

function toCall(raw: RawToolCall, tools: LLMTools | undefined): ReadToolCall | { readonly fault: string } {
  const { id, name } = raw;
  if (raw.fault !== undefined) return { fault: raw.fault };
  if (typeof name !== "string" || name === "") return { fault: "The call names no tool." };
  const args = readArguments(raw.arguments);
  if ("fault" in args) return { fault: `Invalid arguments for "${name}": ${args.fault}.` };
  const toolName = tools?.toolNameOf(name) ?? name;
  const translated: unknown = tools?.argumentsOf(name, args.value) ?? args.value;
  return {
    ...(id !== undefined && { id }),
    name: toolName,
    arguments: translated as Readonly<Record<string, unknown>>,
  };
}

/** Arguments are an object, or a text with one in it; models leave out what is empty. */
function readArguments(
  given: unknown,
): { readonly value: Record<string, unknown> } | { readonly fault: string } {
  if (given === undefined || given === null || given === "") return { value: {} };
  if (typeof given !== "string") {
    return isRecord(given) ? { value: given } : { fault: `expected a JSON object, got ${kindOf(given)}` };
  }
  const parsed = parseJson(given);
  if (!parsed.ok)
    return { fault: `${parsed.message}, near ${JSON.stringify(excerpt(given, parsed.position))}` };
  return isRecord(parsed.value)
    ? { value: parsed.value }
    : { fault: `expected a JSON object, got ${kindOf(parsed.value)}` };
}

function excerpt(text: string, position: number): string {
  return text.slice(Math.max(0, position - 20), position + 20).toWellFormed();
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

function toFailure({ id, name, fault }: RawToolCall, message: string): FailedCall {
  const now = Date.now();
  const hint =
    fault === undefined
      ? "Send the call again, with one complete JSON object as its arguments."
      : "Call one of the functions that are defined.";
  return {
    callId: "",
    toolName: typeof name === "string" ? name : "",
    success: false,
    error: { type: "ToolValidationError", code: "REQUEST_INVALID", message, hint, retryable: false },
    startedAt: now,
    completedAt: now,
    durationMs: 0,
    metadata: { sessionId: "", ...(id !== undefined && { requestId: id }) },
    content: [{ type: "text", text: `REQUEST_INVALID: ${message} ${hint}` }],
  };
}
