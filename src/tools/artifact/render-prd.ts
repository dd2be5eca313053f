import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import { savedDocument, toSaved } from "./save-document.js";
import { priorities, type Feature, type Priority, type Requirement } from "../../contract/ports/plan.js";

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

interface Prd {
  readonly title: string;
  readonly requirements: readonly Requirement[];
  readonly features: readonly Feature[];
}

/** The product requirements document, in Markdown. */
export function prdMarkdown({ title, requirements, features }: Prd): string {
  const sections = [
    `# Product requirements: ${toOneLine(title)}`,
    ...priorities.flatMap((priority) => requirementsOf(priority, { title, requirements, features })),
    ...(features.length === 0 ? [] : ["## Features", ...features.map(featureText)]),
    ...uncoveredRequirements(requirements, features),
  ];
  return `${sections.join("\n\n")}\n`;
}

const headings: Readonly<Record<Priority, string>> = {
  high: "## High-priority requirements",
  medium: "## Medium-priority requirements",
  low: "## Low-priority requirements",
};

function requirementsOf(priority: Priority, { requirements, features }: Prd): string[] {
  const own = requirements.filter((requirement) => requirement.priority === priority);
  if (own.length === 0) return [];
  return [headings[priority], ...own.map((requirement) => requirementText(requirement, features))];
}

function requirementText({ id, title, description }: Requirement, features: readonly Feature[]): string {
  const met = features
    .filter(({ requirementIds }) => requirementIds.includes(id))
    .map((feature) => feature.id);
  return toSection(id, title, [description, met.length === 0 ? "" : `Features: ${met.join(", ")}`]);
}

function featureText({ id, title, description, requirementIds }: Feature): string {
  return toSection(id, title, [
    description,
    requirementIds.length === 0 ? "" : `Meets: ${requirementIds.join(", ")}`,
  ]);
}

function uncoveredRequirements(requirements: readonly Requirement[], features: readonly Feature[]): string[] {
  const met = new Set(features.flatMap(({ requirementIds }) => requirementIds));
  const open = requirements.filter(({ id }) => !met.has(id));
  if (features.length === 0 || open.length === 0) return [];
  return [
    "## Requirements without a feature",
    open.map(({ id, title }) => `- ${id}: ${toOneLine(title)}`).join("\n"),
  ];
}

function toSection(id: string, title: string, paragraphs: readonly string[]): string {
  const body = paragraphs.map((paragraph) => paragraph.trim()).filter((paragraph) => paragraph !== "");
  return [`### ${id}: ${toOneLine(title)}`, ...body].join("\n\n");
}

/** A heading must be a single line. */
function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
