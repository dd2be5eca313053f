import { ToolDefinitionError } from "../contract/errors.js";
import { describeEntry } from "./describe-entry.js";
import type { NameIndex } from "./name-index.js";
import type { ToolEntry } from "./tool-entry.js";
import { reasonOf } from "./within-time.js";

/** Refuse a tool whose own check finds a mismatch with the tools that it calls. */
export function validateDependencies({ tool }: ToolEntry, index: NameIndex): void {
  if (tool.validateDependencies === undefined) return;
  const refuse = (faults: readonly string[], cause?: unknown): never => {
    throw new ToolDefinitionError(
      `Tool "${tool.name}" does not match the tools that it calls: ${faults.join("; ")}.`,
      { toolName: tool.name, cause, hint: "Correct each point; `tenon tools NAME` shows what a tool takes." },
    );
  };
  let faults: readonly string[] = [];
  try {
    faults = tool.validateDependencies((name) => {
      const entry = index.lookup(name);
      return entry && describeEntry(entry);
    });
  } catch (error) {
    refuse([reasonOf(error)], error);
  }
  if (faults.length > 0) refuse(faults);
}
