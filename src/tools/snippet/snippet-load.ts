import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { snippetName, snippetSummary } from "./fields.js";
import { snippetNotFound } from "./snippet-not-found.js";

const snippet = snippetSummary.extend({ code: z.string() });

export const snippetLoad = defineTool({
  name: "snippet_load",
  description: "Load a saved snippet by its name or id.",
  category: "snippet",
  annotations: { title: "Load snippet", readOnly: true, idempotent: true },
  examples: [{ arguments: { name: "retry" } }],
  input: z.object({ name: snippetName.describe("Name or id of the snippet.") }),
  output: snippet,
  resources: () => ({ reads: [{ lock: "snippets" }] }),
  async execute({ name }, { store: { snippets } }) {
    const found = await snippets.load(name);
    if (found === undefined) throw await snippetNotFound(snippets, name);
    return found as z.infer<typeof snippet>;
  },
  render: ({ name, description, language, code }) =>
    [`${name} (${language})`, ...(description === "" ? [] : [description]), "", code].join("\n"),
});
