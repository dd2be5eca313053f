import type { ContentPart } from "../../contract/call.js";
import { ToolError } from "../../contract/errors.js";
import type { ToolCaller } from "../../contract/tenon.js";
import type { LLMFormat, LLMTools } from "../to-llm-tools.js";

/** What the tools of a session are made from. */
export interface ToolSource extends Pick<ToolCaller, "call"> {
  toLLMTools(format: LLMFormat): LLMTools;
}

/** A tool of the AI SDK (`ai`), ready for `generateText`, `streamText` and agents. */
export interface AiSdkTool {
  readonly description: string;
  readonly inputSchema: {
    readonly "~standard": {
      readonly version: 1;
      readonly vendor: string;
      readonly validate: (value: unknown) => { readonly value: unknown };
    };
  };
  readonly execute: (
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal },
  ) => Promise<unknown>;
  readonly toModelOutput: (options: { readonly output: unknown }) => AiSdkOutput;
}

/** The text and images of an answer, as the AI SDK hands them to a model. */
export interface AiSdkOutput {
  type: "content";
  value: ({ type: "text"; text: string } | { type: "image-data"; data: string; mediaType: string })[];
}

/**
 * The tools of a session for the AI SDK. Each call runs through the session; a failed call throws, and the SDK tells
 * the model of it. Arguments are validated by Tenon alone.
 *
 * @example
 * const result = await generateText({ model, prompt, tools: toAiSdkTools(session) });
 */
export function toAiSdkTools(session: ToolSource): Record<string, AiSdkTool> {
  const { tools, toolNameOf } = session.toLLMTools("ai-sdk");
  const contents = new WeakMap<object, readonly ContentPart[]>();
  const entries = tools.map((tool) => {
    const { name, description, inputSchema } = tool as {
      name: string;
      description: string;
      inputSchema: object;
    };
    const made: AiSdkTool = {
      description,
      inputSchema: toSchema(inputSchema),
      async execute(input, { toolCallId, abortSignal }) {
        const signal = abortSignal === undefined ? {} : { signal: abortSignal };
        const request = { name: toolNameOf(name) ?? name, arguments: input, id: toolCallId, ...signal };
        const answer = await session.call(request);
        if (!answer.success) throw toError(answer.error);
        const output: unknown = answer.result;
        if (typeof output === "object" && output !== null) contents.set(output, answer.content);
        return output ?? null;
      },
      toModelOutput: ({ output }) => {
        const known = typeof output === "object" && output !== null ? contents.get(output) : undefined;
        return toOutput(
          known ?? [{ type: "text", text: typeof output === "string" ? output : JSON.stringify(output) }],
        );
      },
    };
    return [name, made] as const;
  });
  return Object.fromEntries(entries);
}

/** Known to all versions of the SDK: by its symbol, and as a Standard Schema with a JSON Schema. */
function toSchema(jsonSchema: object): AiSdkTool["inputSchema"] {
  const standard = {
    version: 1 as const,
    vendor: "tenon",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
  };
  return Object.assign(
    { "~standard": standard },
    {
      [Symbol.for("vercel.ai.schema")]: true,
      jsonSchema,
      validate: (value: unknown) => ({ success: true, value }),
    },
  );
}

function toOutput(content: readonly ContentPart[]): AiSdkOutput {
  return {
    type: "content",
    value: content.map((part) => {
      if (part.type === "image") return { type: "image-data", data: part.data, mediaType: part.mimeType };
      if (part.type === "text") return { type: "text", text: part.text };
      return {
        type: "text",
        text: part.type === "resource" ? (part.text ?? part.uri) : `[audio: ${part.mimeType}]`,
      };
    }),
  };
}

/** The failure of a call, with its hint in the message: an SDK shows the model nothing else. */
export function toError(error: {
  readonly message: string;
  readonly code: string;
  readonly hint?: string;
}): ToolError {
  const { message, code, hint } = error;
  return new ToolError(hint === undefined ? `${code}: ${message}` : `${code}: ${message} ${hint}`, { code });
}
