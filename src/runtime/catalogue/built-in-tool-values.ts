import type { BuiltInToolName, BuiltInTools } from "../../contract/built-in-types.js";
import type { ToolContext } from "../../contract/context.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { Tool, ToolExecution } from "../../contract/tool.js";
import { isGenerator } from "../../contract/is-thenable.js";
import { compileSchema, type Validator } from "../../schema/compile-schema.js";
import { createBuiltInTools } from "./built-in-tools.js";

/** A built-in tool as a value. */
export interface BuiltInTool<Input, Result> extends Tool<Input, Result> {
  execute(input: Input, ctx: ToolContext): Promise<Result>;
}

/** Every built-in tool as a value, by its name. */
export type BuiltInToolValues = {
  readonly [Name in BuiltInToolName]: BuiltInTool<BuiltInTools[Name]["input"], BuiltInTools[Name]["result"]>;
};

/**
 * The built-in tools as values: to extend one, to register only some, or to run one in a test with a context from
 * `tenon/testing`. Run by itself, a tool checks its input, but no policy is asked and nothing is recorded.
 *
 * @example
 * const tenon = createTenon({ builtIns: false, tools: [builtInTools.read_file, builtInTools.grep] });
 */
export const builtInTools: BuiltInToolValues = Object.freeze(
  Object.fromEntries(createBuiltInTools().map((tool) => [tool.name, withCheckedInput(tool)])),
) as unknown as BuiltInToolValues;

/** A tool that fills in the defaults of its input itself, as a call does before it runs the tool. */
function withCheckedInput(tool: Tool): Tool {
  let schema: Validator | undefined;
  const checked = (input: unknown): unknown => {
    const result = (schema ??= compileSchema(tool.input)).check(input);
    if (result.ok) return result.value;
    const faults = result.issues.map(({ message }) => message).join("; ");
    throw new ToolValidationError(`Invalid arguments for "${tool.name}": ${faults}`, {
      toolName: tool.name,
      details: { issues: result.issues },
    });
  };
  const methods = tool as unknown as Readonly<Record<string, Method | undefined>>;
  const takesInput = ["resources", "shellLine", "meansCall", "checkPermissions", "preview"].flatMap(
    (name) => {
      const method = methods[name];
      return method === undefined
        ? []
        : [[name, (input: unknown, more: unknown) => method(checked(input), more)]];
    },
  );
  return Object.freeze({
    ...tool,
    ...(Object.fromEntries(takesInput) as Partial<Tool>),
    execute: async (input: unknown, ctx: ToolContext) => resultOf(tool.execute(checked(input), ctx), ctx),
  });
}

type Method = (input: unknown, more: unknown) => unknown;

/** What a tool returns in the end; what it reports on the way goes to the context. */
async function resultOf(running: ToolExecution<unknown>, ctx: ToolContext): Promise<unknown> {
  if (!isGenerator(running)) return running;
  for (;;) {
    const { done, value } = await running.next();
    if (done === true) return value;
    ctx.emit(value);
  }
}
