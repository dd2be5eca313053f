import type { ErrorCode } from "../contract/error-codes.js";
import { ToolDefinitionError } from "../contract/errors.js";
import { hasLazySchemas, shapeOf, type PlainShape } from "../contract/lazy-schema.js";
import { once } from "../contract/once.js";
import type { SchemaSource } from "../contract/schema-source.js";
import type { Tool } from "../contract/tool.js";
import { type Validator, compileSchema } from "../schema/compile-schema.js";
import { takeByShape } from "../schema/take-by-shape.js";
import { acceptTool } from "./accept-tool.js";
import { checkDefinition } from "./check-definition.js";
import { type EntryParts, ToolEntry } from "./tool-entry.js";
import { defaultVersion } from "./versions.js";
import { messageOf } from "../contract/message-of.js";

/** What all entries of a registry share. */
export type EntrySurroundings = Pick<EntryParts, "clock" | "watch" | "health">;

/** Check a tool, compile its schemas and make an entry of it, or throw a ToolDefinitionError. */
export function createEntry(like: unknown, surroundings: EntrySurroundings): ToolEntry {
  const { tool, isEnabled } = acceptTool(like);
  try {
    checkDefinition(tool);
    return new ToolEntry({
      ...surroundings,
      tool,
      isEnabled,
      version: tool.version ?? defaultVersion,
      ...validatorsOf(tool),
    });
  } catch (error) {
    if (error instanceof ToolDefinitionError) throw error;
    throw new ToolDefinitionError(`A tool could not be read: ${messageOf(error)}`, { cause: error });
  }
}

function validatorsOf(tool: Tool): Pick<EntryParts, "input" | "output"> {
  if (hasLazySchemas(tool)) {
    return {
      input: lazily(() => compile(tool.name, tool.input, "input"), shapeOf(tool, "input")),
      output: Object.hasOwn(tool, "output")
        ? lazily(() => compile(tool.name, tool.output, "output"), shapeOf(tool, "output"))
        : undefined,
    };
  }
  return {
    input: compile(tool.name, tool.input, "input"),
    output: tool.output === undefined ? undefined : compile(tool.name, tool.output, "output"),
  };
}

/** With a shape, a value that plainly fits is taken without making the schema; all others are for the schema to judge. */
function lazily(make: () => Validator, shape: PlainShape | undefined): Validator {
  const validator = once(make);
  return {
    get jsonSchema() {
      return validator().jsonSchema;
    },
    check: (value) => {
      const taken = shape && takeByShape(value, shape);
      return taken === undefined ? validator().check(value) : { ok: true, value: taken };
    },
  };
}

function compile(toolName: string, source: SchemaSource | undefined, role: "input" | "output"): Validator {
  if (source === undefined || source === null) {
    throw new ToolDefinitionError(`Tool "${toolName}" has no ${role} schema.`, {
      code: "SCHEMA_INVALID",
      toolName,
      hint: "A tool without arguments takes z.object({}).",
    });
  }
  try {
    return compileSchema(source, role);
  } catch (error) {
    throw named(toolName, role, error);
  }
}

/** A schema's compiler does not know whose schema it is. */
function named(toolName: string, role: string, error: unknown): ToolDefinitionError {
  const known = error instanceof ToolDefinitionError ? error : undefined;
  return new ToolDefinitionError(`Tool "${toolName}", ${role} schema: ${messageOf(error)}`, {
    code: (known?.code ?? "SCHEMA_INVALID") as ErrorCode,
    toolName,
    cause: error,
    ...(known?.hint !== undefined && { hint: known.hint }),
    ...(known?.details !== undefined && { details: known.details }),
  });
}
