/** A JSON value: what crosses every border of Tenon. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON Schema (draft 2020-12 or 7), open because external schemas use any keyword. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}
