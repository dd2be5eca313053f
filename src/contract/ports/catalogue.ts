import type { ToolCategory, ToolDescription } from "../tool.js";

/** A tool that a search found. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
  readonly category: ToolCategory;
  /** Names of the arguments, the required ones first. */
  readonly parameters: readonly string[];
}

/** The tools that the caller's agent can see. */
export interface Catalogue {
  /** The best first. */
  search(
    text: string,
    options?: { readonly category?: ToolCategory | undefined; readonly limit?: number | undefined },
  ): { readonly tools: readonly FoundTool[]; readonly total: number };
  /** Everything about one tool, by name, alias or `name@range`; throws where it is not there for this agent. */
  describe(name: string): ToolDescription;
}
