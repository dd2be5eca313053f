import { expect } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import { ToolUnavailableError } from "../contract/errors.js";
import type { Tool } from "../contract/tool.js";
import type { ToolEntry } from "./tool-entry.js";
import type { ToolRegistry } from "./tool-registry.js";

export const view = { sessionId: "s" };

/** A tool with this name that answers it. */
export const makeNamed = (name: string, over: Partial<Tool> = {}): Tool =>
  defineTool({
    name,
    description: `The ${name} tool.`,
    category: "data",
    input: z.object({}),
    execute: () => name,
    ...over,
  });

/** A tool named "t". */
export const make = (over: Partial<Tool> = {}): Tool => makeNamed("t", { execute: () => 1, ...over });

export interface Gate<Value = void> {
  readonly promise: Promise<Value>;
  open(value: Value): void;
}

export function gate<Value = void>(): Gate<Value> {
  let open!: (value: Value) => void;
  const promise = new Promise<Value>((resolve) => (open = resolve));
  return { promise, open };
}

/** The states that a tool went through. */
export function walked(registry: ToolRegistry, name = "t"): string[] {
  return registry.history(name).map(({ to }) => to);
}

/** The code with which something is unavailable, if it is. */
export function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ToolUnavailableError) return error.code;
    throw error;
  }
}

export function thrown(run: () => unknown): { code: string; message: string; hint?: string; name: string } {
  try {
    run();
  } catch (error) {
    return error as never;
  }
  return expect.unreachable("nothing was thrown");
}

export const versionOf = (registry: ToolRegistry, spec: string, sessionId = "s"): string =>
  registry.resolve(spec, { sessionId }).version;

export const begin = async (entry: ToolEntry): Promise<void> => await entry.begin();

export const turn = (): Promise<void> => new Promise(setImmediate);
