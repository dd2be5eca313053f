import type { ArgumentIssue } from "./checked.js";
import type { Segment } from "./format-path.js";

/** A fault as a validator finds it, before it is put into words. */
export interface Fault {
  readonly path: readonly Segment[];
  /**
   * `missing`: required and absent. `unknown`: a name that the schema does not have. `type`: another
   * type. `value`: none of the allowed values. `rule`: any other rule. `forms`: fits no branch of a union.
   */
  readonly kind: "missing" | "unknown" | "type" | "value" | "rule" | "forms";
  /** Types in words, or allowed values as JSON. */
  readonly expected?: readonly string[];
  /** What the rule says, or the author's own words for any kind. */
  readonly message?: string;
  /** The names that an unknown one is compared with. */
  readonly known?: readonly string[];
  /** Per branch of a union why it does not fit. */
  readonly forms?: readonly (readonly Fault[])[];
}

/** What a compiled source says of a value. */
export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly faults: readonly Fault[];
      /** In words already, where the value was no plain data at all. */
      readonly issues?: readonly ArgumentIssue[];
    };

/** One kind of source made ready, with the heavy work still to be done on first use. */
export interface Source {
  /** May throw a ToolDefinitionError on the first use. */
  readonly jsonSchema: () => Readonly<Record<string, unknown>>;
  readonly run: (value: unknown) => Outcome;
}

/** Read the value at a path; `undefined` where there is none of its own. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const segment of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[segment];
  }
  return value;
}

/**
 * Say of a union that failed what helps most: the faults of the only branch that could have been meant
 * (its type, and its literal tags, fit), one list of what would do where each branch wants another
 * type or value, or else the faults of every branch.
 */
export function mergeBranches(path: readonly Segment[], branches: readonly (readonly Fault[])[]): Fault[] {
  const simple = branches.map((faults) => soleMismatch(faults, path.length));
  if (branches.length > 0 && simple.every((fault) => fault !== undefined))
    return [mergeMismatches(path, simple)];
  const rightType = branches.filter((faults) => !faults.some((fault) => isMismatch(fault, path.length)));
  const rightTag = rightType.filter((faults) => !faults.some((fault) => isTag(fault, path.length)));
  const meant = rightTag.length > 0 ? rightTag : rightType;
  if (meant.length === 1 && meant[0] !== undefined) return [...meant[0]];
  return [{ path, kind: "forms", forms: meant.length > 0 ? meant : branches }];
}

function soleMismatch(faults: readonly Fault[], depth: number): Fault | undefined {
  const [first] = faults;
  return faults.length === 1 && first !== undefined && isMismatch(first, depth) ? first : undefined;
}

function isMismatch(fault: Fault, depth: number): boolean {
  return fault.path.length === depth && (fault.kind === "type" || fault.kind === "value");
}

/** A literal one level down that is not met: the tag of another branch. */
function isTag(fault: Fault, depth: number): boolean {
  return fault.path.length === depth + 1 && fault.kind === "value" && fault.expected?.length === 1;
}

function mergeMismatches(path: readonly Segment[], faults: readonly Fault[]): Fault {
  const kind = faults.some((fault) => fault.kind === "value") ? "value" : "type";
  return { path, kind, expected: [...new Set(faults.flatMap((fault) => fault.expected ?? []))] };
}
