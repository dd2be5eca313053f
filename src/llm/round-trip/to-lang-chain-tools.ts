import { ToolError } from "../../contract/errors.js";
import { toError, type ToolSource } from "./to-ai-sdk-tools.js";

/** A structured tool of LangChain, for `model.bindTools` and agents. */
export interface LangChainTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly lc_namespace: string[];
  invoke(input: unknown, config?: unknown): Promise<unknown>;
}

interface RunConfig {
  readonly signal?: AbortSignal;
  readonly toolCall?: { readonly id?: string };
}

interface LangChainCore {
  readonly tool: (
    run: (input: unknown, config?: RunConfig) => Promise<string>,
    fields: object,
  ) => LangChainTool;
}

/**
 * The tools of a session for LangChain, which must be installed (`@langchain/core`). Each call runs through the
 * session; the model gets the text of the answer, and a failed call throws.
 *
 * @example
 * const tools = await toLangChainTools(session);
 * const answer = await model.bindTools(tools).invoke("What time is it?");
 */
export async function toLangChainTools(session: ToolSource): Promise<LangChainTool[]> {
  const { tool: createTool } = await loadCore();
  const { tools, toolNameOf } = session.toLLMTools("ai-sdk");
  return tools.map((tool) => {
    const { name, description, inputSchema } = tool as {
      name: string;
      description: string;
      inputSchema: object;
    };
    const run = async (input: unknown, config: RunConfig = {}): Promise<string> => {
      const id = config.toolCall?.id;
      const answer = await session.call({
        name: toolNameOf(name) ?? name,
        arguments: input,
        ...(id !== undefined && { id }),
        ...(config.signal !== undefined && { signal: config.signal }),
      });
      if (!answer.success) throw toError(answer.error);
      return answer.content.map((part) => ("text" in part ? part.text : `[${part.type}]`)).join("\n");
    };
    return createTool(run, { name, description, schema: inputSchema });
  });
}

async function loadCore(): Promise<LangChainCore> {
  try {
    // A variable, so that neither the compiler nor a bundler looks for it.
    const specifier = "@langchain/core/tools";
    return (await import(specifier)) as LangChainCore;
  } catch (cause) {
    throw new ToolError("toLangChainTools needs LangChain.", {
      hint: "Run npm install @langchain/core.",
      cause,
    });
  }
}
