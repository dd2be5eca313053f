import { randomUUID } from "node:crypto";
import type * as ai from "ai";
import type { ToolEnvelope } from "../contract/call.js";
import type { PromptFormat } from "../llm/print-tool-call.js";
import { parseToolCalls } from "../llm/parse/parse-tool-calls.js";
import type { Session } from "../runtime/sessions/session.js";
import type { AgentEvent, Conversation } from "./agent-types.js";
import { resultText } from "./result-text.js";
import { streamModel, type StreamRequest } from "./stream-model.js";

/** A conversation with the tools in the prompt and the calls in the text. */
export function createPromptConversation(
  common: Omit<StreamRequest, "messages" | "signal" | "tools">,
  how: {
    readonly session: Session;
    readonly task: string;
    readonly format: PromptFormat;
    readonly maxTokens: number | undefined;
  },
): Conversation {
  const { session, task, format, maxTokens } = how;
  const messages: ai.ModelMessage[] = [{ role: "user", content: task }];
  let written = "";
  // Ids are recorded next to those of other conversations, so they must differ.
  const run = randomUUID().slice(0, 8);
  let counter = 0;
  return {
    ask: async (signal) => {
      const { text: tools } = session.prompt({ format, maxTokens });
      const system = common.system === undefined ? tools : `${common.system}\n\n${tools}`;
      // The text contains calls: it is reported once they are removed from it.
      const onEvent = (event: AgentEvent): void => {
        if (event.type !== "text") common.onEvent(event);
      };
      const streamed = await streamModel({ ...common, system, messages, signal, onEvent });
      written = streamed.text;
      const { calls, problems, text } = parseToolCalls(written, { tools: session.descriptions() });
      if (text !== "") common.onEvent({ type: "text", text });
      return {
        text,
        cut: streamed.cut,
        usage: streamed.usage,
        calls: calls.map(({ name, id, arguments: args }) => ({
          id: id ?? `text-${run}-${++counter}`,
          name,
          toolName: name,
          arguments: args,
        })),
        problems: problems.map(({ message, excerpt }) => `${message} It begins: ${JSON.stringify(excerpt)}`),
      };
    },
    tell: (answer, envelopes) => {
      messages.push({ role: "assistant", content: written === "" ? "(nothing)" : written });
      const results = answer.calls.map((call, at) => resultElement(call.toolName, call.id, envelopes[at]));
      const problems = answer.problems.map((problem) => `This could not be read as a call: ${problem}`);
      messages.push({ role: "user", content: [...results, ...problems].join("\n\n") });
    },
  };
}

function resultElement(name: string, id: string, envelope: ToolEnvelope | undefined): string {
  const text = envelope === undefined ? "The call was not run." : resultText(envelope);
  const status = envelope?.success === true ? "ok" : "failed";
  // A result must not be able to close its own tag and pose as the user.
  const safe = text.replaceAll(/<(?=\/?tool_result\b)/gi, "&lt;");
  return `<tool_result name="${attribute(name)}" id="${attribute(id)}" status="${status}">\n${safe}\n</tool_result>`;
}

function attribute(text: string): string {
  return text.replaceAll(/[<>&"\n]/g, "_");
}
