import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { snippetSummary, tagList } from "./fields.js";

export const snippetList = defineTool({
  name: "snippet_list",
  description:
    "List saved snippets without their code: all, or by tags, language or a query (best match first).",
  category: "snippet",
  annotations: { title: "List snippets", readOnly: true, idempotent: true },
  examples: [{ arguments: { language: "typescript", query: "retry with backoff" } }],
  input: z.object({
    tags: tagList.optional().describe("Only snippets with all of these tags."),
    language: z.string().trim().min(1).max(100).optional().describe("Only snippets in this language."),
    query: z
      .string()
      .max(10_000)
      .optional()
      .describe("Words to search for in the name, description, tags or code."),
  }),
  output: z.object({ count: z.number(), snippets: z.array(snippetSummary) }),
  resources: () => ({ reads: [{ lock: "snippets" }] }),
  async execute(filter, { store }) {
    const found = await store.snippets.list(filter);
    return { count: found.length, snippets: found as z.infer<typeof snippetSummary>[] };
  },
  render({ count, snippets }, { tags, language, query }) {
    const all = tags === undefined && language === undefined && query === undefined;
    if (count === 0) return all ? "No snippets have been saved yet." : "No snippet matches.";
    const lines = snippets.map(({ name, language: own, tags: labels, description }) =>
      [`- ${name} (${own})`, labels.map((tag) => `#${tag}`).join(" "), description]
        .filter((part) => part !== "")
        .join("  "),
    );
    return lines.join("\n");
  },
});
