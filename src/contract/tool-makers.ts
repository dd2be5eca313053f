import type { Tool } from "./tool.js";

/** Tools by their names, each made when it is first needed: the file of a tool is loaded then, and not before. */
export type ToolMakers = Readonly<Record<string, () => Tool>>;
