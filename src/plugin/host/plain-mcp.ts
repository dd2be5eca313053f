import type { CheckedPlugin } from "../check-plugin.js";
import type { CallAnswer, CallMeta } from "../protocol.js";
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

/** A `tools/call` of any MCP client other than Tenon. */
export async function callForMcp(
  opened: OpenedPlugin,
  params: { readonly name: string; readonly arguments?: unknown },
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  return toMcp(await opened.call(params.name, params.arguments, plainMeta, signal));
}

const plainMeta: CallMeta = { key: "mcp", callId: "mcp", sessionId: "mcp", agent: "mcp", settings: {} };

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
