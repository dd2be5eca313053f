import { priorities, type Feature, type Priority, type Requirement } from "../../contract/ports/plan.js";

export interface Prd {
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
