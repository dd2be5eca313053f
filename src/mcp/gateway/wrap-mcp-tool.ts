import type { ContentPart } from "../../contract/call.js";
import type { ToolContext } from "../../contract/context.js";
import type { JsonSchema } from "../../contract/json.js";
import { ToolExecutionError } from "../../contract/errors.js";
import type { Upstream, UpstreamCall, UpstreamResult, UpstreamTool } from "../../contract/ports/upstream.js";
import { CallForCaller } from "./caller.js";
import type { HealthVerdict, McpToolDefinition, Tool, ToolAnnotations } from "../../contract/tool.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";

/** How a tool of a server becomes one of Tenon's. */
export interface WrapOptions {
  /** Name of the server; the tool is called `server:tool`. */
  readonly server: string;
  /** Take what the server says about its tool (read-only, idempotent, …) for true. @default false */
  readonly trustAnnotations?: boolean | undefined;
  /** @default 60000 */
  readonly timeoutMs?: number | undefined;
  readonly healthCheck?: (() => HealthVerdict) | undefined;
  /** Told which call of Tenon's a call of the server belongs to. */
  readonly onCall?: ((call: UpstreamCall, ctx: ToolContext) => void) | undefined;
}

const optionNames: KeysOf<WrapOptions> = {
  server: true,
  trustAnnotations: true,
  timeoutMs: true,
  healthCheck: true,
  onCall: true,
};

/**
 * Make a tool of Tenon's out of one that a server offers: same checks, policy, records and limits as any other.
 *
 * @example
 * for (const tool of await upstream.listTools()) tenon.register(wrapMCPTool(upstream, tool, { server: "github" }));
 */
export function wrapMCPTool(
  upstream: Pick<Upstream, "callTool">,
  tool: UpstreamTool,
  options: WrapOptions,
): Tool {
  checkKeys(options, optionNames, "wrapMCPTool");
  const { server, healthCheck, onCall, timeoutMs = 60_000 } = options;
  // By the arguments, which are one call's own: the result may be copied on its way.
  const rendered = new WeakMap<object, readonly ContentPart[]>();
  const name = `${server}:${tool.name}`;
  return {
    name,
    description: tool.description ?? `The tool ${tool.name} of the MCP server ${server}.`,
    category: "mcp",
    input: openSchema(tool.inputSchema),
    ...(tool.outputSchema !== undefined && { output: tool.outputSchema }),
    annotations: annotationsOf(tool, options.trustAnnotations === true),
    definition: definitionOf(tool),
    timeoutMs,
    ...(healthCheck !== undefined && { healthCheck }),
    preview: (input) => ({
      summary: `Call the tool "${tool.name}" of the MCP server "${server}".`,
      details: { server, tool: tool.name, arguments: input },
    }),
    async execute(input, ctx) {
      // A server is asked for reports only where the host asked for them.
      const onProgress = ctx.client?.reports === false ? undefined : ctx.emit;
      const call = new CallForCaller(ctx, ctx, onProgress);
      onCall?.(call, ctx);
      const answer = await upstream.callTool(tool.name, input, call);
      const { structured, meta, more, content } = answer;
      ctx.note?.({
        mcp: {
          structured: structured !== undefined,
          ...(content.length === 0 && { empty: true }),
          ...(meta !== undefined && { meta }),
          ...(more !== undefined && { more }),
        },
      });
      if (answer.isError) throw failure(answer, name);
      if (!isPlainText(answer) && typeof input === "object" && input !== null)
        rendered.set(input, answer.content);
      return resultOf(answer);
    },
    render: (result, input) => {
      const parts = typeof input === "object" && input !== null ? rendered.get(input) : undefined;
      if (parts !== undefined && parts.length > 0) return parts;
      return typeof result === "string" ? result : (JSON.stringify(result) ?? "");
    },
  };
}

/** What a server says of its tools is a claim: unless the person trusts it, the worst is assumed. */
function annotationsOf({ title, annotations = {} }: UpstreamTool, trusted: boolean): ToolAnnotations {
  const named = title ?? annotations["title"];
  const shown = typeof named === "string" && named.trim() !== "" ? { title: named } : {};
  const serverHints = Object.fromEntries(
    Object.entries(annotations).filter(([key, value]) => key.endsWith("Hint") && typeof value === "boolean"),
  ) as Readonly<Record<string, boolean>>;
  if (!trusted) return { ...shown, dangerous: true, openWorld: true, serverHints };
  const readOnly = annotations["readOnlyHint"] === true;
  return {
    ...shown,
    readOnly,
    dangerous: !readOnly && annotations["destructiveHint"] !== false,
    idempotent: readOnly || annotations["idempotentHint"] === true,
    openWorld: annotations["openWorldHint"] !== false,
    serverHints,
  };
}

/** Arguments that the server did not name are for the server to judge, as without Tenon. */
function openSchema(schema: JsonSchema): JsonSchema {
  const isSaid = closing.some((word) => schema[word] !== undefined);
  return isSaid ? schema : { ...schema, additionalProperties: true };
}

const closing = ["additionalProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "if", "$ref"];

/** For MCP hosts: what the server says, unchanged. Tenon bases no decision on it. */
function definitionOf(tool: UpstreamTool): McpToolDefinition {
  const { title, description, annotations, icons, inputSchema, meta, more } = tool;
  return {
    inputSchema,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(annotations !== undefined && { annotations }),
    ...(icons !== undefined && { icons }),
    ...(meta !== undefined && { meta }),
    ...(more !== undefined && { more }),
  };
}

/** The result is the whole content then, and nothing has to be kept: what a weak map holds stays until a full collection. */
function isPlainText({ structured, content }: UpstreamResult): boolean {
  const [first] = content;
  const isText = first?.type === "text" && first.more === undefined;
  return structured === undefined && content.length === 1 && isText;
}

function resultOf({ structured, content }: UpstreamResult): unknown {
  if (structured !== undefined) return structured;
  if (content.every((part) => part.type === "text")) return content.map((part) => part.text).join("\n");
  return { content: content.map((part) => ({ ...part })) };
}

/** The error of a failing tool; what it showed goes with it. */
function failure({ content, structured }: UpstreamResult, toolName: string): ToolExecutionError {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return new ToolExecutionError(text === "" ? "The tool failed without giving a reason." : text, {
    toolName,
    content,
    ...(structured !== undefined && { details: { structured } }),
  });
}
