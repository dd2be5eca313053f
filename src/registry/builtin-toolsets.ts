import type { ToolCategory } from "../contract/tool.js";
import type { ToolsetDefinition, ToolsetSelector } from "./toolsets.js";

/** The stages of the pipeline, in order. */
export { stages as stageNames } from "../contract/ports/pipeline.js";

const whole = (...categories: ToolCategory[]): ToolsetSelector[] =>
  categories.map((category) => ({ category }));

const readOnly = (...categories: ToolCategory[]): ToolsetSelector[] =>
  categories.map((category) => ({ category, readOnly: true }));

/** Conversation, memory, planning and reading; no shell tools, not even listings of jobs. */
const everyStage: ToolsetDefinition = [
  ...whole("interaction", "memory", "control"),
  ...readOnly(
    "file",
    "code",
    "data",
    "system",
    "network",
    "snippet",
    "artifact",
    "planning",
    "custom",
    "mcp",
  ),
];

/** The documents of one stage; the category keeps out a file tool with a fitting name. */
const documents = (stage: string): ToolsetSelector[] => [
  { category: "artifact", name: `save_${stage}_*` },
  { category: "artifact", name: `render_${stage}*` },
];

const taskStatus: ToolsetSelector = { category: "planning", name: "update_task*" };

const coding: ToolsetDefinition = [
  ...whole("file", "shell", "code", "data", "system", "network", "snippet"),
  ...whole("interaction", "memory", "custom", "mcp"),
  ...readOnly("planning", "artifact", "control"),
  { category: "planning", name: "*_task*" },
];

/**
 * The sets that are always there. By category, so that future tools fall in; only `coding`,
 * `stage:coding` and `stage:check` hold what writes files or runs commands.
 */
export const builtinToolsets: ReadonlyMap<string, ToolsetDefinition> = new Map<string, ToolsetDefinition>([
  ["all", ["*"]],
  ["readonly", [{ readOnly: true }]],
  ["coding", coding],
  ["planning", [...everyStage, ...whole("planning", "artifact")]],
  // A session follows the pipeline with it; without a stage, the first one counts.
  ["stage", [...everyStage, ...documents("idea")]],
  ["stage:idea", [...everyStage, ...documents("idea")]],
  ["stage:prd", [...everyStage, ...documents("prd"), ...whole("planning")]],
  ["stage:design", [...everyStage, ...documents("design"), ...whole("planning")]],
  ["stage:plan", [...everyStage, ...documents("plan"), ...whole("planning")]],
  ["stage:coding", [...everyStage, ...coding]],
  ["stage:check", [...everyStage, ...documents("check"), ...whole("shell"), taskStatus]],
  ["stage:delivery", [...everyStage, ...documents("delivery"), taskStatus]],
]);
