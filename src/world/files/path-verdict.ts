/** What a call wants to do; `remove` is a write that also affects everything below (delete, move). */
export type PathAccess = "read" | "write" | "remove";

/** A refusal, with the rule that made it. `reason` continues a sentence that begins with the path. */
export interface PathRefusal {
  readonly allowed: false;
  readonly code: "PATH_TRAVERSAL" | "PATH_OUTSIDE" | "PATH_FORBIDDEN" | "PATH_SYMLINK" | "PATH_INVALID";
  readonly rule: string;
  readonly reason: string;
}

export type RuleVerdict = { readonly allowed: true; readonly path: string } | PathRefusal;

export function refusal(code: PathRefusal["code"], rule: string, reason: string): PathRefusal {
  return { allowed: false, code, rule, reason };
}
