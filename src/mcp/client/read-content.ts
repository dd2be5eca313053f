import type { ContentPart } from "../../contract/call.js";

/** The parts of a result that a server sent; what is no part that we know is shown as the JSON that it is. */
export function readContent(content: unknown): readonly ContentPart[] {
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown) => readBlock(block));
}

type Block = Readonly<Record<string, unknown>>;

function readBlock(block: unknown): ContentPart {
  if (!isRecord(block)) return asText(block);
  const { type, text, data, mimeType } = block;
  if (type === "text" && typeof text === "string") return { type: "text", text };
  if ((type === "image" || type === "audio") && typeof data === "string") {
    const fallback = type === "image" ? "image/png" : "audio/wav";
    return { type, data, mimeType: typeof mimeType === "string" ? mimeType : fallback };
  }
  if (type === "resource" && isRecord(block["resource"])) return readResource(block["resource"]);
  if (type === "resource_link" && typeof block["uri"] === "string") return readLink(block);
  return asText(block);
}

function readResource(resource: Block): ContentPart {
  const { uri, text, blob, mimeType } = resource;
  const kind = typeof mimeType === "string" ? mimeType : undefined;
  if (typeof blob === "string" && kind !== undefined && /^(?:image|audio)\//.test(kind)) {
    return { type: kind.startsWith("image/") ? "image" : "audio", data: blob, mimeType: kind };
  }
  return {
    type: "resource",
    uri: typeof uri === "string" ? uri : "",
    ...(typeof text === "string" && { text }),
    ...(kind !== undefined && { mimeType: kind }),
  };
}

function readLink({ uri, name, description, mimeType }: Block): ContentPart {
  const words = [name, description].filter((part) => typeof part === "string").join(": ");
  return {
    type: "resource",
    uri: uri as string,
    ...(words !== "" && { text: words }),
    ...(typeof mimeType === "string" && { mimeType }),
  };
}

function asText(value: unknown): ContentPart {
  return { type: "text", text: JSON.stringify(value) ?? String(value) };
}

function isRecord(value: unknown): value is Block {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
