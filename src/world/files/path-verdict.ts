/**
 * What a call wants to do; `remove` is a write that also affects everything below (delete, move). `list` is a read of
 * names, types and times: with a list of allowed paths, the directories above those can be listed too.
 */
export type PathAccess = "read" | "list" | "write" | "remove";

/** A refusal, with the rule that made it. `reason` continues a sentence that begins with the path. */
export interface PathRefusal {
  readonly allowed: false;
  readonly code: "PATH_TRAVERSAL" | "PATH_OUTSIDE" | "PATH_FORBIDDEN" | "PATH_SYMLINK" | "PATH_INVALID";
  readonly rule: string;
  readonly reason: string;
  /** The other name of the path that the rule is about, absolute. */
  readonly name?: string;
}

export type RuleVerdict = { readonly allowed: true; readonly path: string } | PathRefusal;

export function refusal(code: PathRefusal["code"], rule: string, reason: string): PathRefusal {
  return { allowed: false, code, rule, reason };
}
