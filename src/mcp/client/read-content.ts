import type { ContentPart } from "../../contract/call.js";
import { isRecord } from "../../contract/is-record.js";

/**
 * The parts of a result that a server sent, with every field of each block. A block of an unknown kind becomes a text
 * with its JSON.
 */
export function readContent(content: unknown): readonly ContentPart[] {
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown) => readBlock(block));
}

type Block = Readonly<Record<string, unknown>>;

function readBlock(block: unknown): ContentPart {
  if (!isRecord(block)) return asText(block);
  const { type, ...fields } = block;
  if (type === "text" && typeof fields["text"] === "string") {
    const { text, ...more } = fields;
    return { type, text, ...rest(more) };
  }
  if ((type === "image" || type === "audio") && typeof fields["data"] === "string") {
    const { data, mimeType, ...more } = fields;
    if (typeof mimeType === "string") return { type, data, mimeType, ...rest(more) };
    // Models need a type; hosts are told that there was none.
    const guessed = type === "image" ? "image/png" : "audio/wav";
    return { type, data, mimeType: guessed, more: { ...more, mimeType: null } };
  }
  if (type === "resource" && isRecord(fields["resource"])) {
    const { resource, ...more } = fields;
    return readResource(resource, more) ?? asText(block);
  }
  if (type === "resource_link" && typeof fields["uri"] === "string") return readLink(fields);
  return asText(block);
}

function readResource(resource: Block, more: Block): ContentPart | undefined {
  const { uri, text, blob, mimeType, ...inner } = resource;
  if (typeof uri !== "string") return undefined;
  const content = typeof text === "string" ? { text } : typeof blob === "string" ? { blob } : undefined;
  if (content === undefined) return undefined;
  return {
    type: "resource",
    uri,
    ...content,
    ...(typeof mimeType === "string" && { mimeType }),
    ...rest(Object.keys(inner).length === 0 ? more : { ...more, resource: inner }),
  };
}

function readLink({ uri, name, description, mimeType, ...more }: Block): ContentPart {
  return {
    type: "resource_link",
    uri: uri as string,
    name: typeof name === "string" ? name : (uri as string),
    ...(typeof description === "string" && { description }),
    ...(typeof mimeType === "string" && { mimeType }),
    ...rest(more),
  };
}

function rest(more: Block): { readonly more?: Block } {
  return Object.keys(more).length === 0 ? {} : { more };
}

function asText(value: unknown): ContentPart {
  return { type: "text", text: JSON.stringify(value) ?? String(value) };
}
