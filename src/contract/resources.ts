/**
 * One thing that a call touches. `path` is one file or directory, `tree` a directory
 * with all below it; both are relative to the workspace or absolute.
 *
 * A tree with `scope: "session"` is in order with the file calls of its own session only. A shell command names the
 * whole workspace in this way: it must see what the session did before, but blocks no other session.
 */
export type Resource =
  | { readonly path: string }
  | { readonly tree: string; readonly scope?: "session" }
  | { readonly env: string }
  | { readonly host: string }
  | { readonly lock: string };

/** What a call will read and write; permission, scheduling, caching and undo work from it. */
export interface Resources {
  readonly reads?: readonly Resource[];
  readonly writes?: readonly Resource[];
}
