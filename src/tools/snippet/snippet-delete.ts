import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { snippetName } from "./fields.js";
import { snippetNotFound } from "./snippet-not-found.js";

export const snippetDelete = defineTool({
  name: "snippet_delete",
  description: "Delete a saved snippet, by its name or id, together with its earlier versions.",
  category: "snippet",
  annotations: { title: "Delete snippet" },
  examples: [{ arguments: { name: "retry" } }],
  input: z.object({ name: snippetName.describe("Name or id of the snippet.") }),
  output: z.object({ deleted: z.boolean(), id: z.string(), name: z.string() }),
  resources: () => ({ writes: [{ lock: "snippets" }] }),
  preview: ({ name }) => ({ summary: `Delete the snippet ${JSON.stringify(name)} and its history.` }),
  async execute({ name }, { store: { snippets } }) {
    const removed = await snippets.remove(name);
    if (removed === undefined) throw await snippetNotFound(snippets, name);
    return { deleted: true, id: removed.id, name: removed.name };
  },
  render: ({ name }) => `Deleted the snippet "${name}".`,
});
