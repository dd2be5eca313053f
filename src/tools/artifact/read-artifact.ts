import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolResourceNotFoundError } from "../../contract/errors.js";
import { artifactNames } from "../../contract/ports/artifacts.js";

/** Gives a document. */
export const readArtifact = defineTool({
  name: "read_artifact",
  description: "Read a document that a stage left: its newest version, or an earlier one.",
  category: "artifact",
  annotations: { title: "Read artifact", readOnly: true, idempotent: true },
  examples: [{ arguments: { name: "prd" } }],
  input: z.object({
    name: z.enum(artifactNames).describe("The stage that the document belongs to."),
    version: z.number().int().min(1).max(1_000_000).optional().describe("The newest where it is left out."),
    iteration: z.string().trim().min(1).max(100).optional().describe("Id; this one where it is left out."),
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
    changedOutside: z.boolean().describe("Someone changed the file since; the content is what it holds now."),
  }),
  resources: () => ({ reads: [{ lock: "artifacts" }, { lock: "pipeline" }] }),
  async execute({ name, version, iteration }, { store: { artifacts } }) {
    const selector = { name, version, iterationId: iteration };
    const found = await artifacts.read(selector);
    if (found !== undefined) return found;
    const versions = await artifacts.versions(selector);
    const which = version === undefined || versions.length === 0 ? "" : `, version ${version},`;
    throw new ToolResourceNotFoundError(`The document "${name}"${which} was not found.`, {
      hint:
        versions.length === 0
          ? "See what there is with list_artifacts."
          : `There are the versions 1 to ${versions[0]?.version}.`,
    });
  },
  render: ({ content, changedOutside, version }) =>
    changedOutside ? `(Changed outside since version ${version}.)\n${content}` : content,
});
