import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { artifactNames } from "../../contract/ports/artifacts.js";

/** Lists the saved documents. */
export const listArtifacts = defineTool({
  name: "list_artifacts",
  description: "List the documents that were saved for pipeline stages, in this iteration or in others.",
  category: "artifact",
  annotations: { title: "List artifacts", readOnly: true, idempotent: true },
  examples: [{ arguments: {} }, { arguments: { iteration: "all" } }],
  input: z.object({
    iteration: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe('Id of an iteration, or "all". Default: the current iteration.'),
  }),
  output: z.object({
    count: z.number(),
    artifacts: z.array(
      z.object({
        name: z.enum(artifactNames),
        iterationId: z.string(),
        version: z.number(),
        versions: z.number(),
        path: z.string(),
        size: z.number(),
        createdAt: z.number(),
        agent: z.string(),
      }),
    ),
  }),
  resources: () => ({ reads: [{ lock: "artifacts" }, { lock: "pipeline" }] }),
  async execute({ iteration }, { store: { artifacts, pipeline } }) {
    const own = iteration ?? (await pipeline.peek())?.id;
    const filter = own === "all" ? {} : { iterationId: own };
    const found = own === undefined ? [] : await artifacts.list(filter);
    return { count: found.length, artifacts: [...found] };
  },
  render: ({ artifacts }) =>
    artifacts.length === 0
      ? "No documents have been saved yet."
      : artifacts
          .map(
            ({ name, iterationId, version, path }) =>
              `- ${name} (${iterationId}, version ${version}): ${path}`,
          )
          .join("\n"),
});
