import type { CheckedPlugin } from "../check-plugin.js";
import { metaKey, type CallAnswer, type CallMeta } from "../wire.js";
import type { OpenedPlugin } from "./open-plugin.js";

/** The tools of a plugin as any MCP client sees them. */
export function listForMcp({ tools }: CheckedPlugin): readonly Readonly<Record<string, unknown>>[] {
  return tools.map(({ tool, input, output }) => {
    const { title, readOnly, dangerous, idempotent, openWorld } = tool.annotations ?? {};
    return {
      name: tool.name,
      ...(title !== undefined && { title }),
      description: tool.description,
      inputSchema: input.jsonSchema,
      ...(output?.jsonSchema["type"] === "object" && { outputSchema: output.jsonSchema }),
      annotations: {
        readOnlyHint: readOnly ?? false,
        destructiveHint: dangerous ?? readOnly !== true,
        idempotentHint: idempotent ?? false,
        openWorldHint: openWorld ?? false,
      },
    };
  });
}

/** One `tools/call`: for Tenon with all that it said of the call, for others as plain MCP. */
export async function callForMcp(
  opened: OpenedPlugin,
  params: {
    readonly name: string;
    readonly arguments?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  },
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const meta = params._meta?.[metaKey] as CallMeta | undefined;
  const answer = await opened.call(params.name, params.arguments, meta ?? nobody, signal);
  if (meta !== undefined) return { content: [], isError: !answer.answer.ok, _meta: { [metaKey]: answer } };
  return toMcp(answer);
}

const nobody: CallMeta = { key: "mcp", callId: "mcp", sessionId: "mcp", agent: "mcp", settings: {} };

function toMcp({ answer, rendered }: CallAnswer): Readonly<Record<string, unknown>> {
  if (!answer.ok) {
    const { code, message } = answer.error;
    return { content: [{ type: "text", text: `${code}: ${message}` }], isError: true };
  }
  const { value } = answer;
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const content = typeof rendered === "object" ? rendered : [{ type: "text", text: rendered ?? text }];
  const structured = typeof value === "object" && value !== null && !Array.isArray(value);
  return { content, ...(structured && { structuredContent: value }) };
}
