import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { memoryKinds } from "../../contract/ports/memories.js";
import { memoryRecord, toResult } from "./fields.js";

export const queryMemory = defineTool({
  name: "query_memory",
  description:
    "Search memories: insights, issues and learnings of this iteration, decisions and patterns of the project. With a query the best match comes first, without one the newest.",
  category: "memory",
  annotations: { title: "Query memory", readOnly: true, idempotent: true },
  examples: [{ arguments: { query: "database migrations" } }, { arguments: { kind: "decision" } }],
  input: z.object({
    query: z.string().max(100_000).optional().describe("Words to search for, in any language."),
    scope: z
      .enum(["project", "iteration", "smart"])
      .default("smart")
      .describe("One layer, or (smart) both, merged by relevance and recency."),
    kind: z.enum(memoryKinds).optional().describe("Only memories of this kind."),
    limit: z.number().int().min(1).max(100).default(10).describe("Maximum number of memories to return."),
  }),
  output: z.object({ count: z.number(), scope: z.string(), memories: z.array(memoryRecord) }),
  resources: () => ({ reads: [{ lock: "memory" }, { lock: "pipeline" }] }),
  async execute(query, { store }) {
    const found = await store.memories.query(query);
    return { count: found.length, scope: query.scope, memories: found.map(toResult) };
  },
  render: ({ memories }, { query = "" }) => {
    if (memories.length > 0) return memories.map(showMemory).join("\n\n");
    return query.trim() === "" ? "There are no memories yet." : "No memory matches the query.";
  },
});

/** A memory as text for the model. */
function showMemory(memory: z.infer<typeof memoryRecord>): string {
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
