import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ContentPart } from "../../contract/call.js";
import type { ErrorInfo } from "../../contract/errors.js";
import type { HostAnswer } from "../../contract/host.js";

/** An answer in MCP's words. */
export function toCallResult({ envelope, wrapped }: HostAnswer): CallToolResult {
  const { callId, result, error, metadata } = envelope;
  const _meta: Record<string, unknown> = { "tenon/callId": callId };
  if (metadata.untrusted === true) _meta["tenon/untrusted"] = true;
  if (error !== undefined) {
    _meta["tenon/error"] = error;
    return { content: [{ type: "text", text: describeError(error) }], isError: true, _meta };
  }
  const content = envelope.content.map(toBlock);
  if (wrapped) return { content, structuredContent: { result: result ?? null }, _meta };
  if (!isRecord(result)) return { content, _meta };
  return { content, structuredContent: result, _meta };
}

/** A failure as text for the model. */
export function describeError({ code, message, hint }: ErrorInfo): string {
  return hint === undefined ? `${code}: ${message}` : `${code}: ${message}\nHint: ${hint}`;
}

type Block = CallToolResult["content"][number];

function toBlock(part: ContentPart): Block {
  if (part.type !== "resource") return part;
  const { uri, text, mimeType } = part;
  const type = mimeType === undefined ? {} : { mimeType };
  if (text === undefined) return { type: "resource_link", uri, name: uri, ...type };
  return { type: "resource", resource: { uri, text, ...type } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
