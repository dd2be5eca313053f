import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ContentPart } from "../../contract/call.js";
import type { ErrorInfo } from "../../contract/errors.js";
import type { HostAnswer } from "../../contract/host.js";
import { fitStructured } from "./fit-structured.js";
import { isRecord } from "../../contract/is-record.js";

/** An answer in MCP's words. */
export function toCallResult({ envelope, wrapped, maxChars }: HostAnswer): CallToolResult {
  const { callId, result, error, metadata } = envelope;
  const _meta: Record<string, unknown> = { "tenon/callId": callId };
  if (metadata.repeated === true) _meta["tenon/repeated"] = true;
  if (metadata.untrusted === true) _meta["tenon/untrusted"] = true;
  if (error !== undefined) {
    _meta["tenon/error"] = error;
    return { content: [{ type: "text", text: describeError(error) }], isError: true, _meta };
  }
  const content = envelope.content.map(toBlock);
  if (!wrapped && !isRecord(result)) return { content, _meta };
  const { value, shortened } = fitStructured(result ?? null, maxChars);
  if (shortened) _meta["tenon/shortened"] = true;
  const structuredContent = wrapped ? { result: value } : (value as Record<string, unknown>);
  return { content, structuredContent, _meta };
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
