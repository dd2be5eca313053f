import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import type { ArtifactName, ArtifactVersion } from "../../contract/ports/artifacts.js";
import { plural } from "../../text/plural.js";

/** What differs between the tools that save documents. */
export interface SaveDocument {
  readonly name: string;
  readonly document: ArtifactName;
  readonly title: string;
  readonly description: string;
}

export const savedDocument = z.object({
  success: z.boolean(),
  path: z.string().describe("The file, relative to the workspace."),
  version: z.number(),
  iterationId: z.string(),
});

/**
 * Define a tool that saves the document of one stage. It is not marked as dangerous: the agent cannot choose the
 * file, only the next version of that document in Tenon's own folder is written, and no version is lost.
 */
export function defineSaveDocument({ name, document, title, description }: SaveDocument) {
  return defineTool({
    name,
    description,
    category: "artifact",
    annotations: { title },
    examples: [{ arguments: { content: `# ${title.replace(/^Save /, "")}\n` } }],
    input: z.object({
      content: z.string().min(1).max(2_000_000).describe("The whole document, in Markdown."),
    }),
    output: savedDocument,
    resources: () => ({ writes: [{ lock: "artifacts" }], reads: [{ lock: "pipeline" }] }),
    preview: ({ content }) => ({
      summary: `Save the ${document} document (${plural(content.length, "character")}) as a new version.`,
    }),
    execute: async ({ content }, { store }) => toSaved(await store.artifacts.save(document, content)),
    render: ({ path, version }) => `Saved ${path} (version ${version}).`,
  });
}

export function toSaved({ path, version, iterationId }: ArtifactVersion): z.infer<typeof savedDocument> {
  return { success: true, path, version, iterationId };
}
