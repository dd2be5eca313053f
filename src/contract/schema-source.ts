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

/** The three ways to say what a tool takes or gives. */
export type SchemaSource = z.ZodType | JsonSchema | readonly ToolParameter[];

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
  : S extends readonly ToolParameter[]
    ? number extends S["length"]
      ? Record<string, unknown>
      : FromParameters<S, { required: true }>
    : unknown;

/** The type of a value that passed the schema. */
export type Infer<S> = S extends z.ZodType
  ? z.output<S>
  : S extends readonly ToolParameter[]
    ? FromParameters<S>
    : Record<string, unknown>;
