import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { snippetName, tagList } from "./fields.js";

export const snippetSave = defineTool({
  name: "snippet_save",
  description:
    "Save a piece of code under a name. Saving under an existing name updates it; earlier versions are kept.",
  category: "snippet",
  annotations: { title: "Save snippet", idempotent: true },
  examples: [
    { arguments: { name: "retry", code: "for (;;) {}", language: "typescript", tags: ["network"] } },
  ],
  input: z.object({
    name: snippetName.describe("Unique name."),
    code: z.string().max(1_000_000).describe("The code."),
    description: z.string().max(10_000).default("").describe("What the code is for."),
    language: z.string().trim().min(1).max(100).default("plaintext").describe("Programming language."),
    tags: tagList.default([]).describe("Tags to find it by."),
  }),
  output: z.object({ id: z.string(), name: z.string(), created: z.boolean() }),
  resources: () => ({ writes: [{ lock: "snippets" }] }),
  execute: (snippet, { store }) => store.snippets.save(snippet),
  render: ({ id, name, created }) => `${created ? "Saved" : "Updated"} the snippet "${name}" (${id}).`,
});
