import type * as z from "zod";
import type { memoryRecord } from "./fields.js";

/** A memory as text for the model. */
export function showMemory(memory: z.infer<typeof memoryRecord>): string {
  const { id, kind, title, content, tags, status, layer } = memory;
  const labels = [
    kind,
    ...(status === undefined ? [] : [status]),
    ...(layer === "project" ? ["project"] : []),
  ];
  const tagText = tags.map((tag) => ` #${tag}`).join("");
  const more = [
    memory.resolution === undefined ? "" : `Resolved: ${clipText(memory.resolution)}`,
    memory.rationale === undefined ? "" : `Because: ${clipText(memory.rationale)}`,
    memory.whenToUse === undefined ? "" : `When: ${clipText(memory.whenToUse)}`,
    memory.origin === undefined ? "" : `From: ${memory.origin}`,
  ].filter((line) => line !== "");
  return [`[${id}] ${title} (${labels.join(", ")})${tagText}`, clipText(content), ...more].join("\n");
}

const maxShownChars = 2000;

function clipText(text: string): string {
  return text.length <= maxShownChars ? text : `${text.slice(0, maxShownChars).trimEnd()} […]`;
}
