import type { ContentPart } from "./call.js";
import type { ToolContext } from "./context.js";
import { unwrapLazySchemas } from "./lazy-schema.js";
import type { Resources } from "./resources.js";
import type { Infer, SchemaSource } from "./schema-source.js";
import type {
  MeantCall,
  PermissionResult,
  ShellFacts,
  ShellLine,
  ShellSession,
  Tool,
  ToolExecution,
  ToolPreview,
} from "./tool.js";

type Typed =
  | "input"
  | "output"
  | "resources"
  | "prepare"
  | "shellLine"
  | "runsOnlyLine"
  | "meansCall"
  | "checkPermissions"
  | "preview"
  | "render"
  | "execute";

/** A tool as its author writes it: the types of `execute` are inferred from the schemas. */
export interface ToolDefinition<
  In extends SchemaSource,
  Out extends SchemaSource | undefined,
  Result,
> extends Omit<Tool, Typed> {
  readonly input: In;
  readonly output?: Out;
  resources?(input: Infer<In>, line?: ShellFacts, settings?: Readonly<Record<string, unknown>>): Resources;
  prepare?(input: Infer<In>, ctx: ToolContext): Promise<void> | undefined;
  shellLine?(input: Infer<In>, session: ShellSession): ShellLine | undefined;
  runsOnlyLine?(input: Infer<In>): boolean;
  meansCall?(input: Infer<In>, session: ShellSession): MeantCall | undefined;
  checkPermissions?(
    input: Infer<In>,
    ctx: ToolContext,
  ): PermissionResult<Infer<In>> | Promise<PermissionResult<Infer<In>>>;
  preview?(input: Infer<In>, ctx: ToolContext): ToolPreview | Promise<ToolPreview>;
  render?(result: Result, input: Infer<In>): string | readonly ContentPart[];
  execute(input: Infer<In>, ctx: ToolContext): ToolExecution<Result>;
}

/** A tool whose schema is known to the compiler, so that callers get the types of its arguments. */
export interface DefinedTool<In extends SchemaSource, Result> extends Tool<Infer<In>, Result> {
  readonly input: In;
}

/**
 * Declare a tool. The value does nothing by itself; it is checked when it is registered.
 *
 * @example
 * const greet = defineTool({
 *   name: "greet",
 *   description: "Greet someone by name.",
 *   category: "custom",
 *   input: z.object({ who: z.string() }),
 *   execute: ({ who }) => ({ text: `Hello, ${who}` }),
 * });
 */
export function defineTool<
  const In extends SchemaSource,
  Result extends (Out extends SchemaSource ? Infer<Out> : unknown),
  const Out extends SchemaSource | undefined = undefined,
>(definition: ToolDefinition<In, Out, Result>): DefinedTool<In, Result> {
  unwrapLazySchemas(definition);
  return Object.freeze(definition) as DefinedTool<In, Result>;
}
