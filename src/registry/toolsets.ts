import { ToolDefinitionError } from "../contract/errors.js";
import { type ToolCategory, toolCategories } from "../contract/tool.js";
import { compileName, faultOfName } from "../glob/name-glob.js";
import { findForeignTool } from "../llm/foreign-tools.js";
import type { ToolEntry } from "./tool-entry.js";

/** Tools by their nature; where several fields are given, all must hold. */
export interface ToolsetSelector {
  readonly category?: ToolCategory;
  /** Changes nothing and needs no confirmation. */
  readonly readOnly?: true;
  /** A glob on the name. */
  readonly name?: string;
}

/** Globs on names, `!glob` to remove, and selectors. A removal always wins; removals alone start from all tools. */
export type ToolsetDefinition = readonly (string | ToolsetSelector)[];

/** What an agent gets: everything else does not exist for it. */
export interface Toolset {
  readonly name: string;
  has(entry: ToolsetEntry): boolean;
}

/** What a toolset looks at: a registered tool, or one that is only known by its name yet. */
export interface ToolsetEntry {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly tool: Pick<ToolEntry["tool"], "category" | "annotations" | "native">;
}

type Test = (entry: ToolsetEntry) => boolean;

/** Whether there is a tool of that name or alias. */
export type IsTaken = (name: string) => boolean;

/**
 * Make a toolset of its definition. Names that other hosts have for a tool stand for it, unless a tool is called so.
 * Answers are remembered per entry.
 */
export function compileToolset(
  name: string,
  definition: ToolsetDefinition,
  isTaken: IsTaken = () => false,
): Toolset {
  checkToolset(name, definition);
  const added: Test[] = [];
  const removed: Test[] = [];
  for (const rule of definition) {
    if (typeof rule !== "string") added.push(fits(rule));
    else if (rule.startsWith("!")) removed.push(hasName(rule.slice(1), { removing: true, isTaken }));
    else added.push(hasName(rule, { removing: false, isTaken }));
  }
  const fromAll = added.length === 0 && removed.length > 0;
  const has: Test = (entry) => {
    if (removed.some((test) => test(entry))) return false;
    return fromAll || added.some((test) => test(entry));
  };
  // A tool that is registered later may take the name of another host's tool.
  return definition.some(isForeign) ? Object.freeze({ name, has }) : remembering(name, has);
}

function isForeign(rule: string | ToolsetSelector): boolean {
  return typeof rule === "string" && findForeignTool(rule.replace(/^!/, ""), undefined)?.name !== undefined;
}

/** Only what is in all of them; the name is that of the first. */
export function intersectToolsets(first: Toolset, ...others: readonly Toolset[]): Toolset {
  if (others.length === 0) return first;
  return remembering(first.name, (entry) => first.has(entry) && others.every((set) => set.has(entry)));
}

/** Narrow any toolset, or all tools where there is none, by the globs of `tools.enabled`. */
export function narrowToolset(
  toolset: Toolset | undefined,
  enabled: readonly string[] | undefined,
  isTaken?: IsTaken,
): Toolset | undefined {
  if (enabled === undefined) return toolset;
  const narrowing = compileToolset("tools.enabled", enabled, isTaken);
  return toolset === undefined ? narrowing : intersectToolsets(toolset, narrowing);
}

/** A toolset, or all tools where there is none, with the native tools of these providers only. */
export function withNative(toolset: Toolset | undefined, providers: readonly string[]): Toolset {
  return remembering(toolset?.name ?? "all", (entry) => {
    const provider = entry.tool.native?.provider;
    return (provider === undefined || providers.includes(provider)) && toolset?.has(entry) !== false;
  });
}

function remembering(name: string, test: Test): Toolset {
  // Names, aliases and annotations of an entry never change, so neither does the answer.
  const known = new WeakMap<ToolsetEntry, boolean>();
  return Object.freeze({
    name,
    has(entry: ToolsetEntry): boolean {
      const answer = known.get(entry);
      if (answer !== undefined) return answer;
      const fresh = test(entry);
      known.set(entry, fresh);
      return fresh;
    },
  });
}

/** A glob matches aliases only to remove: `run_*` must not add a shell that has the alias `run_command`. */
function hasName(
  pattern: string,
  { removing, isTaken }: { readonly removing: boolean; readonly isTaken: IsTaken },
): Test {
  const { literal, test } = compileName(pattern);
  if (literal !== undefined) {
    const meant = findForeignTool(literal, undefined)?.name;
    return (entry) =>
      entry.name === literal ||
      entry.aliases.includes(literal) ||
      (entry.name === meant && !isTaken(literal));
  }
  return (entry) => test(entry.name) || (removing && entry.aliases.some(test));
}

function fits({ category, readOnly, name }: ToolsetSelector): Test {
  const isNamed = name === undefined ? undefined : compileName(name).test;
  return ({ tool, name: own }) =>
    (category === undefined || tool.category === category) &&
    (readOnly === undefined ||
      (tool.annotations?.readOnly === true && tool.annotations.dangerous !== true)) &&
    (isNamed === undefined || isNamed(own));
}

function checkToolset(name: string, definition: unknown): asserts definition is ToolsetDefinition {
  const refuse = (fault: string): never => {
    throw new ToolDefinitionError(`Toolset ${JSON.stringify(name)} ${fault}.`, {
      hint: 'Write globs such as "read_*" or "!shell_*", { category } or { readOnly: true }.',
    });
  };
  if (typeof name !== "string" || name.trim() === "") refuse("has no name");
  if (!Array.isArray(definition)) refuse("is not an array");
  for (const rule of definition as unknown[]) {
    const fault = typeof rule === "string" ? faultOfGlob(rule) : faultOfSelector(rule);
    if (fault !== undefined) refuse(fault);
  }
}

function faultOfGlob(rule: string): string | undefined {
  const pattern = rule.startsWith("!") ? rule.slice(1) : rule;
  if (pattern.length > 256) return "has a pattern of more than 256 characters";
  if (!/^[^\s!@]+$/u.test(pattern)) return `has the unusable pattern ${JSON.stringify(rule)}`;
  const fault = faultOfName(pattern);
  return fault === undefined ? undefined : `has the unusable pattern ${JSON.stringify(rule)}: ${fault}`;
}

function faultOfSelector(rule: unknown): string | undefined {
  if (typeof rule !== "object" || rule === null) return "has a rule that is neither a text nor an object";
  const { category, readOnly, name, ...rest } = rule as { readonly [Key in keyof ToolsetSelector]?: unknown };
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) return `has a rule with the unknown key "${unknown}"`;
  if (category === undefined && readOnly === undefined && name === undefined) return "has an empty rule";
  if (category !== undefined && !toolCategories.includes(category as ToolCategory)) {
    return `names the category ${JSON.stringify(category)}`;
  }
  if (readOnly !== undefined && readOnly !== true) return "has a readOnly that is not true";
  if (name === undefined) return undefined;
  return typeof name === "string" ? faultOfGlob(name) : "has a name that is not a string";
}
