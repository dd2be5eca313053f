import type { JsonSchema } from "../../contract/json.js";
import { toLegalName } from "../legal-name.js";
import type { KnownNames } from "./raw-call.js";

/** What is needed of a tool to read calls of it. */
export interface CallableTool {
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
  readonly inputSchema?: JsonSchema | undefined;
}

/** Finds tools by what models call them. */
export interface ToolNames extends KnownNames {
  /** The tool's true name and schema; `undefined` where no tool is called so. */
  find(name: string): { readonly name: string; readonly inputSchema?: JsonSchema | undefined } | undefined;
}

/** What models put before names. */
const prefix = /^(?:functions|default_api|tools|tool|namespace functions)\./;

/** Names, aliases, legal names of providers, and each of them with a prefix that models are used to. */
export function createToolNames(tools: readonly CallableTool[] | undefined): ToolNames {
  const byName = new Map<string, CallableTool>();
  const legal = new Set<string>();
  for (const tool of tools ?? []) byName.set(tool.name, tool);
  for (const tool of tools ?? []) {
    const name = toLegalName(tool.name, legal);
    legal.add(name);
    for (const other of [name, ...(tool.aliases ?? [])]) if (!byName.has(other)) byName.set(other, tool);
  }
  const find = (name: string): CallableTool | undefined =>
    byName.get(name) ?? byName.get(name.replace(prefix, ""));
  return { closed: tools !== undefined, find, has: (name) => find(name) !== undefined };
}

/** A name without the prefix that some models put before every tool. */
export function withoutPrefix(name: string): string {
  return name.replace(prefix, "");
}
