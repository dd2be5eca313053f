import type * as z from "zod";
import type { memoryRecord } from "./fields.js";

/** A memory as text for the model. */
export function showMemory(memory: z.infer<typeof memoryRecord>): string {
  const { id, kind, title, content, tags, status, layer } = memory;
  const marks = [
    kind,
    ...(status === undefined ? [] : [status]),
    ...(layer === "project" ? ["project"] : []),
  ];
  const labels = tags.map((tag) => ` #${tag}`).join("");
  const more = [
    memory.resolution === undefined ? "" : `Resolved: ${clip(memory.resolution)}`,
    memory.rationale === undefined ? "" : `Because: ${clip(memory.rationale)}`,
    memory.whenToUse === undefined ? "" : `When: ${clip(memory.whenToUse)}`,
    memory.origin === undefined ? "" : `From: ${memory.origin}`,
  ].filter((line) => line !== "");
  return [`[${id}] ${title} (${marks.join(", ")})${labels}`, clip(content), ...more].join("\n");
}

const mostShown = 2000;

function clip(text: string): string {
  return text.length <= mostShown ? text : `${text.slice(0, mostShown).trimEnd()} […]`;
}
