import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import { prdMarkdown } from "./prd-markdown.js";
import { savedDocument, toSaved } from "./save-document.js";

/** Writes the PRD from the stored plan. */
export const renderPrd = defineTool({
  name: "render_prd",
  description:
    "Write the product requirements document from the stored requirements and features, as a new version of the PRD.",
  category: "artifact",
  annotations: { title: "Render PRD" },
  examples: [{ arguments: { title: "Login with passkeys" } }],
  input: z.object({
    title: z.string().trim().min(1).max(200).optional().describe("Default: the name of the iteration."),
    this_iteration: z
      .boolean()
      .default(false)
      .describe("Only include requirements and features of this iteration."),
  }),
  output: savedDocument.extend({ requirements: z.number(), features: z.number() }),
  resources: () => ({ writes: [{ lock: "artifacts" }], reads: [{ lock: "plan" }, { lock: "pipeline" }] }),
  async execute({ title, this_iteration: thisIteration }, { store: { plan, artifacts, pipeline } }) {
    const requirements = await plan.requirements({ thisIteration });
    const features = await plan.features({ thisIteration });
    if (requirements.length + features.length === 0) throw nothingPlanned();
    const name = title ?? (await pipeline.iteration()).name;
    const saved = await artifacts.save("prd", prdMarkdown({ title: name, requirements, features }));
    return { ...toSaved(saved), requirements: requirements.length, features: features.length };
  },
  render: ({ path, version, requirements, features }) =>
    `Wrote ${path} (version ${version}) from ${requirements} requirements and ${features} features.`,
});

function nothingPlanned(): ToolValidationError {
  return new ToolValidationError("Nothing to write: there are no stored requirements or features.", {
    code: "VALUE_INVALID",
    hint: "Start with create_requirement and add_feature, or save your own document with save_prd_doc.",
  });
}
