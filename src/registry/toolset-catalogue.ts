import { ToolDefinitionError, ToolValidationError } from "../contract/errors.js";
import { nearest } from "../schema/nearest.js";
import { shorten } from "./tool-name.js";
import {
  compileToolset,
  type IsTaken,
  type Toolset,
  type ToolsetDefinition,
  type ToolsetSelector,
} from "./toolsets.js";
import type { ToolCategory } from "../contract/tool.js";

/** The toolsets by name. */
export class ToolsetCatalogue {
  readonly #sets = new Map<string, Toolset>();

  readonly #isTaken: IsTaken | undefined;

  constructor(own: Readonly<Record<string, ToolsetDefinition>> = {}, isTaken?: IsTaken) {
    this.#isTaken = isTaken;
    for (const [name, definition] of Object.entries(own)) this.define(name, definition);
  }

  /** Add a toolset, or replace a custom one; built-in ones cannot be replaced. */
  define(name: string, definition: ToolsetDefinition): void {
    if (builtinToolsets.has(name)) {
      throw new ToolDefinitionError(`The toolset "${name}" is built in.`, {
        code: "NAME_TAKEN",
        hint: "Choose another name.",
      });
    }
    this.#sets.set(name, compileToolset(name, definition, this.#isTaken));
  }

  /** The set of that name, or an error with the nearest one. */
  get(name: string): Toolset {
    const known = this.#sets.get(name) ?? this.#builtin(name);
    if (known !== undefined) return known;
    const names = this.names();
    const near = nearest(name, names);
    throw new ToolValidationError(`Unknown toolset "${shorten(name)}".`, {
      code: "VALUE_INVALID",
      hint: near === undefined ? `Use one of ${names.join(", ")}.` : `Did you mean "${near}"?`,
    });
  }

  names(): string[] {
    return [...new Set([...builtinToolsets.keys(), ...this.#sets.keys()])];
  }

  #builtin(name: string): Toolset | undefined {
    const definition = builtinToolsets.get(name);
    if (definition === undefined) return undefined;
    const toolset = compileToolset(name, definition);
    this.#sets.set(name, toolset);
    return toolset;
  }
}

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

/** By category, so that future tools are included. Only three of them write files or run commands. */
const builtinToolsets: ReadonlyMap<string, ToolsetDefinition> = new Map<string, ToolsetDefinition>([
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
