import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolResourceNotFoundError } from "../../contract/errors.js";
import { artifactNames } from "../../contract/ports/artifacts.js";

export const readArtifact = defineTool({
  name: "read_artifact",
  description: "Read a document that was saved for a pipeline stage: the newest version, or an earlier one.",
  category: "artifact",
  annotations: { title: "Read artifact", readOnly: true, idempotent: true },
  examples: [{ arguments: { name: "prd" } }],
  input: z.object({
    name: z.enum(artifactNames).describe("The stage that the document belongs to."),
    version: z.number().int().min(1).max(1_000_000).optional().describe("Default: the newest version."),
    iteration: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe("Id of an iteration. Default: the current one."),
  }),
  output: z.object({
    name: z.enum(artifactNames),
    iterationId: z.string(),
    version: z.number(),
    path: z.string(),
    size: z.number(),
    createdAt: z.number(),
    agent: z.string(),
    content: z.string(),
    changedOutside: z
      .boolean()
      .describe("Whether the file was changed after it was saved; the content is the current one."),
  }),
  resources: () => ({ reads: [{ lock: "artifacts" }, { lock: "pipeline" }] }),
  async execute({ name, version, iteration }, { store: { artifacts } }) {
    const selector = { name, version, iterationId: iteration };
    const found = await artifacts.read(selector);
    if (found !== undefined) return found;
    const versions = await artifacts.versions(selector);
    const which = version === undefined || versions.length === 0 ? "" : ` version ${version}`;
    throw new ToolResourceNotFoundError(`Document "${name}"${which} not found.`, {
      hint:
        versions.length === 0
          ? "Use list_artifacts to see the saved documents."
          : `Available versions: ${versions.at(-1)?.version} to ${versions[0]?.version}.`,
    });
  },
  render: ({ content, changedOutside, version }) =>
    changedOutside ? `(The file was changed after version ${version} was saved.)\n${content}` : content,
});
