import type { ToolContext } from "../contract/context.js";
import type { Resources } from "../contract/resources.js";
import type { Infer, SchemaSource } from "../contract/schema-source.js";
import type { Tool } from "../contract/tool.js";

/** What a step can lean on: the chain's input and what came out of earlier steps, by their ids. */
export interface ChainScope<Input = unknown> {
  readonly input: Input;
  /** A step that was left out, or failed though it may, has `undefined`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- only the author knows what the steps' tools give
  readonly steps: Readonly<Record<string, any>>;
}

/** A value with `{{ input.path }}` and `{{ steps.id.field }}` in its texts, or a function of the scope. */
export type ChainValue<Input> = ((scope: ChainScope<Input>) => unknown) | ChainTemplate;

/** Plain data; a text that is one reference becomes the value itself, others have it written into them. */
export type ChainTemplate =
  | null
  | boolean
  | number
  | string
  | readonly ChainTemplate[]
  | { readonly [key: string]: ChainTemplate };

/** When a step is taken: a function, a reference that is neither empty nor false, or a comparison. */
export type ChainCondition<Input> = ((scope: ChainScope<Input>) => unknown) | string | ChainComparison;

/** All that is given must hold. */
export interface ChainComparison {
  readonly value: string;
  readonly equals?: ChainTemplate | undefined;
  readonly notEquals?: ChainTemplate | undefined;
  readonly in?: readonly ChainTemplate[] | undefined;
  readonly greaterThan?: number | undefined;
  readonly lessThan?: number | undefined;
  readonly exists?: boolean | undefined;
}

/** How often a failed step is tried again; bad arguments and denials are not. */
export interface StepRetry {
  /** Tries after the first one. */
  readonly attempts: number;
  /** The first wait; it doubles each time. @default 100 */
  readonly delayMs?: number | undefined;
}

interface CommonStep<Input> {
  /** Its result has this name in `steps`. */
  readonly id: string;
  readonly when?: ChainCondition<Input> | undefined;
  readonly retry?: StepRetry | undefined;
  /** The chain goes on where it fails. @default false */
  readonly optional?: boolean | undefined;
}

/** A step that calls a tool, with all its checks. */
export interface ToolStep<Input = unknown> extends CommonStep<Input> {
  /** A name, an alias, or `name@range`. */
  readonly tool: string;
  /** @default {} */
  readonly input?: ChainValue<Input> | undefined;
  /** Called where the tool fails; with the same input unless it has its own. */
  readonly fallback?:
    | string
    | { readonly tool: string; readonly input?: ChainValue<Input> | undefined }
    | undefined;
}

/** A step that is a plain function. */
export interface FunctionStep<Input = unknown> extends CommonStep<Input> {
  readonly run: (scope: ChainScope<Input>, ctx: ToolContext) => unknown;
}

/** Steps that run at the same time. */
export interface ParallelSteps<Input = unknown> {
  readonly parallel: readonly (ToolStep<Input> | FunctionStep<Input>)[];
}

/** A step of a chain: a call, a function, or several steps at the same time. */
export type ChainStep<Input = unknown> = ToolStep<Input> | FunctionStep<Input> | ParallelSteps<Input>;

type Passed =
  | "name"
  | "description"
  | "output"
  | "version"
  | "aliases"
  | "annotations"
  | "examples"
  | "capabilities"
  | "securityLevel"
  | "timeoutMs"
  | "priority"
  | "concurrency";

/** A tool made of tools, as its author writes it. */
export interface ChainDefinition<In extends SchemaSource = SchemaSource> extends Pick<Tool, Passed> {
  /** @default "custom" */
  readonly category?: Tool["category"];
  readonly input: In;
  readonly steps: readonly ChainStep<Infer<In>>[];
  /** What the chain gives. @default the result of its last step */
  readonly result?: ChainValue<Infer<In>> | undefined;
  /** What the steps touch, so that no other call does while the chain runs. @default each step is ordered by itself */
  readonly resources?: ((input: Infer<In>) => Resources) | undefined;
  /** The text for the model. @default the result as JSON */
  readonly render?: ((result: unknown, input: Infer<In>) => string) | undefined;
}
