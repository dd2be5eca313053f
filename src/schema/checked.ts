import type { JsonSchema } from "../contract/json.js";

/** One fault of a value: where it is, what was asked for and what came. */
export interface ArgumentIssue {
  /** Where the fault is, as `files[2].path`; empty for the value as a whole. */
  readonly path: string;
  readonly message: string;
  readonly expected?: string;
  readonly received?: string;
  /** The right name or value, where one is near. */
  readonly suggestion?: string;
}

/** The verdict on a value: a fresh, checked one, or all its faults. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly ArgumentIssue[] };

/** A schema made ready: what models see and what values are held against. */
export interface Validator {
  /** The JSON Schema of the contract as it is enforced; frozen. */
  readonly jsonSchema: JsonSchema;
  /** Hold a value against the schema; never throws for a bad value. */
  check(value: unknown): Checked;
}
