import type { ToolEnvelope } from "../contract/call.js";

/** The text of an answer for a model. */
export function resultText(envelope: ToolEnvelope): string {
  const parts = envelope.content.map((part) => {
    if (part.type === "text") return part.text;
    if (part.type === "resource") return part.text ?? part.uri;
    if (part.type === "resource_link")
      return [part.name, part.description, part.uri].filter((word) => word !== undefined).join(" ");
    return `(${part.type}, ${part.mimeType}, not shown)`;
  });
  const text = parts.join("\n");
  if (text !== "") return text;
  const { error } = envelope;
  if (error === undefined) return "Done.";
  return [`${error.code}: ${error.message}`, error.hint].filter((line) => line !== undefined).join("\n");
}
