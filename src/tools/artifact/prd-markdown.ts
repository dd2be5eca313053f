import { priorities, type Feature, type Priority, type Requirement } from "../../contract/ports/plan.js";

export interface Prd {
  readonly title: string;
  readonly requirements: readonly Requirement[];
  readonly features: readonly Feature[];
}

/** The product requirements document, in Markdown. */
export function prdMarkdown({ title, requirements, features }: Prd): string {
  const sections = [
    `# Product requirements: ${line(title)}`,
    ...priorities.flatMap((priority) => requirementsOf(priority, { title, requirements, features })),
    ...(features.length === 0 ? [] : ["## Features", ...features.map(featureText)]),
    ...uncovered(requirements, features),
  ];
  return `${sections.join("\n\n")}\n`;
}

const headings: Readonly<Record<Priority, string>> = {
  high: "## Requirements of high priority",
  medium: "## Requirements of medium priority",
  low: "## Requirements of low priority",
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
  return block(id, title, [description, met.length === 0 ? "" : `Features: ${met.join(", ")}`]);
}

function featureText({ id, title, description, requirementIds }: Feature): string {
  return block(id, title, [
    description,
    requirementIds.length === 0 ? "" : `Meets: ${requirementIds.join(", ")}`,
  ]);
}

function uncovered(requirements: readonly Requirement[], features: readonly Feature[]): string[] {
  const met = new Set(features.flatMap(({ requirementIds }) => requirementIds));
  const open = requirements.filter(({ id }) => !met.has(id));
  if (features.length === 0 || open.length === 0) return [];
  return [
    "## Requirements without a feature",
    open.map(({ id, title }) => `- ${id}: ${line(title)}`).join("\n"),
  ];
}

function block(id: string, title: string, paragraphs: readonly string[]): string {
  const body = paragraphs.map((paragraph) => paragraph.trim()).filter((paragraph) => paragraph !== "");
  return [`### ${id}: ${line(title)}`, ...body].join("\n\n");
}

/** A heading is one line. */
function line(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
