import type * as z from "zod";
import type { JsonSchema } from "./json.js";

/** One argument in the plain list form. */
export interface ToolParameter {
  readonly name: string;
  readonly type: "string" | "number" | "integer" | "boolean" | "object" | "array";
  readonly description?: string;
  readonly required?: boolean;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
}

/** A schema of any library that keeps the Standard Schema specification (https://standardschema.dev). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema: what models see. */
    readonly jsonSchema?: StandardJsonSchema | undefined;
  };
}

/** What a Standard Schema says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One fault that a Standard Schema found. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** How a Standard Schema gives its JSON Schema. */
export interface StandardJsonSchema {
  readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
  readonly output: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
}

/** The four ways to say what a tool takes or gives. */
export type SchemaSource = z.ZodType | StandardSchema | JsonSchema | readonly ToolParameter[];

/** The types that a Standard Schema carries. */
type StandardTypes<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T>
  : never;

interface ParameterTypes {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  object: Record<string, unknown>;
  array: unknown[];
}

type ParameterValue<P extends ToolParameter> = P extends { enum: readonly (infer E)[] }
  ? E
  : ParameterTypes[P["type"]];

type Present = { required: true } | { default: {} | null };

type FromParameters<P extends readonly ToolParameter[], Given = Present> = {
  [E in P[number] as E extends Given ? E["name"] : never]: ParameterValue<E>;
} & {
  [E in P[number] as E extends Given ? never : E["name"]]?: ParameterValue<E>;
};

/** The arguments as a caller may write them: what has a default can be left out. */
export type CallInput<S> = S extends z.ZodType
  ? z.input<S>
  : S extends StandardSchema
    ? StandardTypes<S>["input"]
    : S extends readonly ToolParameter[]
      ? number extends S["length"]
        ? Record<string, unknown>
        : FromParameters<S, { required: true }>
      : unknown;

/** The type of a value that passed the schema. */
export type Infer<S> = S extends z.ZodType
  ? z.output<S>
  : S extends StandardSchema
    ? StandardTypes<S>["output"]
    : S extends readonly ToolParameter[]
      ? FromParameters<S>
      : Record<string, unknown>;
