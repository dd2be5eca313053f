import type { BuiltInToolName, BuiltInTools } from "./built-in-types.js";
import type { ToolEnvelope, ToolRequest } from "./call.js";
import type { CallInput } from "./schema-source.js";
import type { Tool, ToolExecution } from "./tool.js";
import type { Unwrapped } from "./tool-result.js";

/** A tool, or the name of one. */
export type ToolTarget = Tool | BuiltInToolName | (string & {});

/** The arguments that a tool takes: of a tool value by its schema, of a built-in by its name. */
export type InputOf<Target> = Target extends BuiltInToolName
  ? BuiltInTools[Target]["input"]
  : Target extends Tool
    ? CallInput<Target["input"]> extends infer Input
      ? unknown extends Input
        ? Parameters<Target["execute"]>[0]
        : Input
      : never
    : unknown;

/** The result that a call gives: of a tool value what it returns, of a built-in by its name. */
export type ResultOf<Target> = Target extends BuiltInToolName
  ? BuiltInTools[Target]["result"]
  : Target extends { execute(...args: never[]): ToolExecution<infer Result> }
    ? Unwrapped<Result>
    : unknown;

/** What a call may say besides the tool and its arguments. */
export type CallOptions = Omit<ToolRequest, "name" | "arguments">;

/**
 * Make one call; it answers with an envelope and never throws. The tool is given by its value or its name, and the
 * types of the arguments and the result follow from it; or the whole call is given as a request.
 *
 * @example
 * const answer = await session.call("read_file", { path: "README.md" });
 * if (answer.success) console.log(answer.result.content);
 */
export interface CallTool<Options = CallOptions, Request extends { readonly name: string } = ToolRequest> {
  <const Name extends string>(
    request: Request & { readonly name: Name },
  ): Promise<ToolEnvelope<ResultOf<Name>>>;
  <const Target extends ToolTarget>(
    tool: Target,
    input: InputOf<Target>,
    options?: Options,
  ): Promise<ToolEnvelope<ResultOf<Target>>>;
}
