import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ContentPart, ToolEnvelope } from "../../contract/call.js";
import type { HostAnswer } from "../../contract/host.js";
import { isRecord } from "../../contract/is-record.js";
import { takeResultText } from "../../contract/tool-result.js";
import { fitStructured } from "./fit-structured.js";

/** The JSON text of a result's `structuredContent`, where the log has written it already. */
export const structuredText = Symbol("structuredText");

/** An answer in MCP's words. A protocol error of the server that was called is thrown as it came. */
export function toCallResult(answer: HostAnswer, isModern = false): CallToolResult {
  const { callId, error, metadata } = answer.envelope;
  const { details } = error ?? {};
  if (typeof details?.["protocolCode"] === "number") throw protocolError(details);
  const { meta, more } = metadata.mcp ?? {};
  const _meta: Record<string, unknown> = meta === undefined ? {} : { ...meta };
  _meta["tenon/callId"] = callId;
  if (metadata.repeated === true) _meta["tenon/repeated"] = true;
  if (metadata.untrusted === true) _meta["tenon/untrusted"] = true;
  if (error !== undefined) _meta["tenon/error"] = error;
  const content = metadata.mcp?.empty === true ? [] : answer.envelope.content.map(toBlock);
  const structured = structuredOf(answer, isModern);
  if (structured?.shortened === true) _meta["tenon/shortened"] = true;
  const text = takeResultText(answer.envelope);
  // Set one by one: objects that begin with a spread are slow to make and to write as JSON.
  const result: CallToolResult & { [structuredText]?: string } =
    more === undefined ? { content } : { ...more, content };
  if (structured !== undefined) result.structuredContent = structured.value;
  if (error !== undefined) result.isError = true;
  result._meta = _meta;
  if (text !== undefined && structured?.value === answer.envelope.result) result[structuredText] = text;
  return result;
}

/** The server of the tool refused the request itself. */
function protocolError(details: Readonly<Record<string, unknown>>): Error {
  const { protocolCode: code, protocolMessage, protocolData: data } = details;
  return Object.assign(new Error(String(protocolMessage)), { code, ...(data !== undefined && { data }) });
}

interface Structured {
  readonly value: unknown;
  readonly shortened: boolean;
}

/** Never more than the server sent, where an MCP server answered. */
function structuredOf(
  { envelope, wrapped, maxChars }: HostAnswer,
  isModern: boolean,
): Structured | undefined {
  const { mcp } = envelope.metadata;
  const result = envelopeResult(envelope);
  if (mcp === undefined ? envelope.error !== undefined : !mcp.structured) return undefined;
  // Before 2026-07-28 a structured result was always an object.
  if (!wrapped && !isRecord(result) && !(isModern && mcp !== undefined)) return undefined;
  const { value, shortened } = fitStructured(result ?? null, maxChars);
  return { value: wrapped ? { result: value } : value, shortened };
}

/** A failed call has no result, but what the server sent with the failure. */
function envelopeResult({ result, error }: ToolEnvelope): unknown {
  return error === undefined ? result : error.details?.["structured"];
}

type Block = CallToolResult["content"][number];

function toBlock(given: ContentPart): Block {
  if (given.type === "text" && given.more === undefined) return { type: "text", text: given.text };
  const { more, ...part } = given;
  if (part.type === "image" || part.type === "audio") return toMedia(part, more);
  if (part.type !== "resource") return { ...more, ...part };
  const { uri, text, blob, mimeType } = part;
  const kind = mimeType === undefined ? {} : { mimeType };
  if (text === undefined && blob === undefined)
    return { ...more, type: "resource_link", uri, name: uri, ...kind };
  const { resource, ...fields } = more ?? {};
  const content = text === undefined ? { blob: blob as string } : { text };
  return {
    ...fields,
    type: "resource",
    resource: { ...(isRecord(resource) && resource), uri, ...content, ...kind },
  };
}

/** A server that did not say of what type its bytes are says nothing to the host either. */
function toMedia(
  { mimeType, ...part }: Omit<Extract<ContentPart, { data: string }>, "more">,
  more: ContentPart["more"],
): Block {
  const { mimeType: said = mimeType, ...fields } = more ?? {};
  return { ...fields, ...part, ...(said !== null && { mimeType: said }) } as Block;
}
