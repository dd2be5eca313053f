import type * as ai from "ai";
import type { ToolEnvelope } from "../contract/call.js";
import type { Conversation, ModelAnswer } from "./agent-types.js";
import { resultText } from "./result-text.js";
import { streamModel, type Streamed, type StreamRequest } from "./stream-model.js";
import type { Session } from "../runtime/sessions/session.js";

/** A conversation with a model that supports tool calling. */
export function createNativeConversation(
  common: Omit<StreamRequest, "messages" | "signal" | "tools">,
  { session, task }: { readonly session: Session; readonly task: string },
): Conversation {
  const messages: ai.ModelMessage[] = [{ role: "user", content: task }];
  let last: Streamed | undefined;
  return {
    ask: async (signal) => {
      // Built for each step: tools can be added and removed while an agent works.
      const { tools, toolNameOf } = session.toLLMTools("ai-sdk");
      const streamed = await streamModel({ ...common, messages, tools: toToolSet(common.ai, tools), signal });
      last = streamed;
      const wanted = streamed.calls.filter(({ invalid }) => invalid === undefined);
      return {
        text: streamed.text,
        cut: streamed.cut,
        usage: streamed.usage,
        calls: wanted.map(({ id, name, input }) => ({
          id,
          name,
          toolName: toolNameOf(name) ?? name,
          arguments: input,
        })),
        problems: streamed.calls.flatMap(({ name, invalid }) =>
          invalid === undefined ? [] : [`${name}: ${invalid}`],
        ),
      };
    },
    tell: (answer, envelopes) => {
      // The SDK itself answers calls that it could not parse.
      messages.push(...(last?.messages ?? []));
      if (answer.calls.length > 0) messages.push(resultMessage(answer, envelopes));
    },
  };
}

function toToolSet(sdk: typeof ai, tools: readonly Readonly<Record<string, unknown>>[]): ai.ToolSet {
  const entries = tools.map(({ name, description, inputSchema }) => [
    name as string,
    sdk.tool({
      description: description as string,
      inputSchema: sdk.jsonSchema(inputSchema as Parameters<typeof sdk.jsonSchema>[0]),
    }),
  ]);
  return Object.fromEntries(entries) as ai.ToolSet;
}

function resultMessage({ calls }: ModelAnswer, envelopes: readonly ToolEnvelope[]): ai.ToolModelMessage {
  return {
    role: "tool",
    content: calls.map(({ id, name }, at) => {
      const envelope = envelopes[at];
      const value = envelope === undefined ? "The call was not run." : resultText(envelope);
      const type = envelope?.success === true ? "text" : "error-text";
      return { type: "tool-result", toolCallId: id, toolName: name, output: { type, value } };
    }),
  };
}
