/**
 * One thing that a call touches. `path` is one file or directory, `tree` a directory
 * with all below it; both are relative to the workspace or absolute.
 */
export type Resource =
  | { readonly path: string }
  | { readonly tree: string }
  | { readonly env: string }
  | { readonly host: string }
  | { readonly lock: string };

/** What a call will read and write; permission, scheduling, caching and undo work from it. */
export interface Resources {
  readonly reads?: readonly Resource[];
  readonly writes?: readonly Resource[];
}
