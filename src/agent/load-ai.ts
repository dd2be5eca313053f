import type * as compatible from "@ai-sdk/openai-compatible";
import type * as ai from "ai";
import { ToolDefinitionError } from "../contract/errors.js";

/** The AI SDK, which only agents need. */
export async function loadAi(): Promise<typeof ai> {
  return (await loadPeer("ai")) as typeof ai;
}

/** A model at an OpenAI-compatible URL. */
export async function openCompatibleModel(options: {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
}): Promise<object> {
  const { createOpenAICompatible } = (await loadPeer("@ai-sdk/openai-compatible")) as typeof compatible;
  const provider = createOpenAICompatible({
    name: "openai-compatible",
    baseURL: options.baseUrl.replace(/\/$/, ""),
    includeUsage: true,
    ...(options.apiKey !== undefined && { apiKey: options.apiKey }),
  });
  return provider.chatModel(options.model);
}

/** Imported by a name that no bundler follows: the packages are installed by the user. */
async function loadPeer(name: string): Promise<unknown> {
  try {
    return (await import(name)) as unknown;
  } catch (cause) {
    throw new ToolDefinitionError(`An agent needs the package "${name}", which is not installed.`, {
      hint: "Run: npm install ai@6 @ai-sdk/openai-compatible@2",
      cause,
    });
  }
}
