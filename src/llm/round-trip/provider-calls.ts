import { toShellLine } from "../../command/shell-quote.js";
import { isRecord } from "../../contract/is-record.js";

/** The messages that can be read and written. */
export type RoundTripFormat = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/** A call as a provider writes it down. */
export interface RawToolCall {
  /** The provider's id of the call. */
  readonly id?: string | undefined;
  /** As the model wrote it. */
  readonly name: unknown;
  /** An object, or a text with JSON in it. */
  readonly arguments: unknown;
  /** Why it cannot be run. */
  readonly fault?: string;
  /** The item that the provider wants as an answer. @default that of a function */
  readonly answerType?: AnswerType;
}

/** Items that OpenAI wants as answers to calls of its own tools. */
export type AnswerType =
  | "apply_patch_call_output"
  | "custom_tool_call_output"
  | "shell_call_output"
  | "local_shell_call_output";

/** How the calls of a message are found, by format. */
export const itemReaders: Readonly<Record<RoundTripFormat, (message: unknown) => RawToolCall[]>> = {
  "openai-chat": readChat,
  "openai-responses": readResponses,
  anthropic: readAnthropic,
  gemini: readGemini,
};

function readChat(given: unknown): RawToolCall[] {
  const message = choiceOf(given);
  const items = listOf(message["tool_calls"]);
  if (items.length === 0 && isRecord(message["function_call"]))
    return [readFunction(undefined, message["function_call"])];
  return items.map((item) => {
    const id = textOf(item["id"]);
    if (isRecord(item["function"])) return readFunction(id, item["function"]);
    if (isRecord(item["custom"]))
      return { id, name: item["custom"]["name"], arguments: { input: item["custom"]["input"] } };
    return unknownType(id, item);
  });
}

function readFunction(id: string | undefined, called: Readonly<Record<string, unknown>>): RawToolCall {
  return { id, name: called["name"], arguments: called["arguments"] };
}

/** A completion, one of its choices, or a message. */
function choiceOf(given: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(given)) return {};
  const [first] = listOf(given["choices"]);
  const holder = first ?? given;
  return isRecord(holder["message"]) ? holder["message"] : holder;
}

/** Items with the model's thoughts, or with what OpenAI did itself: they need no answer. */
const responseItems: ReadonlySet<unknown> = new Set([
  "message",
  "reasoning",
  "compaction",
  "web_search_call",
  "file_search_call",
  "image_generation_call",
  "code_interpreter_call",
  "mcp_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "function_call_output",
  "custom_tool_call_output",
  "shell_call_output",
  "local_shell_call_output",
  "apply_patch_call_output",
  "item_reference",
]);

function readResponses(given: unknown): RawToolCall[] {
  const items = Array.isArray(given) ? given : isRecord(given) ? (given["output"] ?? [given]) : [];
  return listOf(items).flatMap((item) => {
    const id = textOf(item["call_id"]) ?? textOf(item["id"]);
    const { type } = item;
    if (type === "function_call") return [readFunction(id, item)];
    if (type === "custom_tool_call") {
      const call = { id, name: item["name"], arguments: { input: item["input"] } };
      return [{ ...call, answerType: "custom_tool_call_output" }];
    }
    if (type === "apply_patch_call") {
      const operation = withoutNulls(item["operation"]);
      return [{ id, name: "apply_patch", arguments: { operation }, answerType: "apply_patch_call_output" }];
    }
    if (type === "shell_call") return isHosted(item) ? [] : [readShell(id, item)];
    if (type === "local_shell_call") return [readLocalShell(id, item)];
    return type === undefined || responseItems.has(type) ? [] : [unknownType(id, item)];
  });
}

/** Commands that OpenAI runs itself, in a container. */
function isHosted({ environment }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(environment) && environment["type"] !== "local";
}

function readShell(id: string | undefined, { action }: Readonly<Record<string, unknown>>): RawToolCall {
  return { id, name: "shell", arguments: withoutNulls(action), answerType: "shell_call_output" };
}

/** A program with its arguments, for a machine of one's own: `shell_exec` takes a line. */
function readLocalShell(id: string | undefined, { action }: Readonly<Record<string, unknown>>): RawToolCall {
  const name = "shell_exec";
  const answerType = "local_shell_call_output";
  const { command, timeout_ms: timeout, working_directory: cwd, env } = withoutNulls(action);
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string") || command.length === 0)
    return {
      id,
      name,
      arguments: {},
      answerType,
      fault: "The action has no command: expected a list of texts.",
    };
  const optional = withoutNulls({ timeout, cwd: cwd === "" ? null : cwd, env });
  return { id, name, arguments: { command: toShellLine(command), ...optional }, answerType };
}

function withoutNulls(given: unknown): Record<string, unknown> {
  if (!isRecord(given)) return {};
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Blocks that need no answer: text, thoughts, and what Anthropic runs itself. */
const anthropicBlocks =
  /^(?:text|thinking|redacted_thinking|image|document|compaction|container_upload|server_tool_use|mcp_tool_use|tool_result|.*_tool_result)$/;

function readAnthropic(given: unknown): RawToolCall[] {
  const content = isRecord(given) ? given["content"] : given;
  return listOf(content).flatMap((block) => {
    const id = textOf(block["id"]);
    if (block["type"] === "tool_use") return [{ id, name: block["name"], arguments: block["input"] }];
    return anthropicBlocks.test(String(block["type"])) ? [] : [unknownType(id, block)];
  });
}

function readGemini(given: unknown): RawToolCall[] {
  const [candidate] = isRecord(given) ? listOf(given["candidates"]) : [];
  const holder = candidate ?? given;
  const content = isRecord(holder) && isRecord(holder["content"]) ? holder["content"] : holder;
  const parts = isRecord(content) ? content["parts"] : content;
  return listOf(parts).flatMap((part) => {
    const called = part["functionCall"] ?? part["function_call"];
    if (!isRecord(called)) return unknownPart(part);
    return [{ id: textOf(called["id"]), name: called["name"], arguments: called["args"] }];
  });
}

/** A part with a call that is neither a function's nor one that Gemini carries out itself. */
function unknownPart(part: Readonly<Record<string, unknown>>): RawToolCall[] {
  const kind = Object.keys(part).find((key) => /(?:Call|_call)$/.test(key) && !/^tool_?call$/i.test(key));
  const called = part[kind ?? ""];
  if (kind === undefined || !isRecord(called)) return [];
  return [unknownType(textOf(called["id"]), { name: called["name"], type: kind })];
}

function unknownType(id: string | undefined, item: Readonly<Record<string, unknown>>): RawToolCall {
  const name = textOf(item["name"]) ?? "";
  return {
    id,
    name,
    arguments: {},
    fault: `A call of the unknown type ${JSON.stringify(item["type"] ?? null)} cannot be run.`,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, 256) : undefined;
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
