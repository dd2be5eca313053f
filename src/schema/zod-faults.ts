import { argumentSide, type ZodNode } from "./close-zod.js";
import { mergeBranches, valueAt, type Fault } from "./fault.js";
import type { Segment } from "./format-path.js";

/** A Zod issue, as far as it is read here; every code has members of its own. */
export interface ZodIssue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string;
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  readonly options?: readonly unknown[];
  readonly errors?: readonly (readonly ZodIssue[])[];
  readonly [member: string]: unknown;
}

/** Translate Zod's issues into faults of the value that was parsed. */
export function zodFaults(issues: readonly ZodIssue[], schema: ZodNode, root: unknown): readonly Fault[] {
  const context: Context = { schema, root, above: [] };
  return ofRightType(issues.slice(0, maxIssues)).flatMap((issue) => toFaults(issue, context));
}

const maxIssues = 1000;

/** Without what follows from a wrong type alone: Zod counts the letters of a text where a list was expected. */
export function ofRightType<Issue extends Pick<ZodIssue, "code" | "path">>(
  issues: readonly Issue[],
): readonly Issue[] {
  const wrong = issues.filter(({ code }) => code === "invalid_type").map(({ path }) => keyOf(path));
  if (wrong.length === 0 || wrong.length === issues.length) return issues;
  const places = new Set(wrong);
  return issues.filter(({ code, path }) => code === "invalid_type" || !places.has(keyOf(path)));
}

function keyOf(path: readonly PropertyKey[]): string {
  return JSON.stringify(path.map(String));
}

interface Context {
  readonly schema: ZodNode;
  readonly root: unknown;
  /** The path of the union whose branch is translated: inside it paths start again. */
  readonly above: readonly Segment[];
}

function toFaults(issue: ZodIssue, context: Context): Fault[] {
  const own = issue.path.map((segment) => (typeof segment === "symbol" ? String(segment) : segment));
  const path = [...context.above, ...own];
  const absent = path.length > 0 && valueAt(context.root, path) === undefined;
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = [...namesAt(context.schema, path, 0)];
      return (issue.keys ?? []).map((key) => ({ path: [...path, key], kind: "unknown", known }));
    }
    case "invalid_type":
      return [mismatch(issue, path, { absent, kind: "type", expected: typeWords(issue.expected) })];
    case "invalid_value":
      return [mismatch(issue, path, { absent, kind: "value", expected: quoted(issue.values) })];
    case "invalid_union":
      return unionFaults(issue, path, context);
    default:
      return [{ path, kind: "rule", message: ownWords(issue) ?? wordsOf(issue) }];
  }
}

interface Mismatch {
  readonly absent: boolean;
  readonly kind: "type" | "value";
  readonly expected: readonly string[];
}

function mismatch(issue: ZodIssue, path: readonly Segment[], { absent, kind, expected }: Mismatch): Fault {
  const message = ownWords(issue);
  const said = message === undefined ? {} : { message };
  return { path, kind: absent ? "missing" : kind, expected, ...said };
}

function unionFaults(issue: ZodIssue, path: readonly Segment[], context: Context): Fault[] {
  const message = ownWords(issue);
  if (message !== undefined) return [{ path, kind: "rule", message }];
  if (issue.options !== undefined) {
    const absent = valueAt(context.root, path) === undefined;
    return [{ path, kind: absent ? "missing" : "value", expected: quoted(issue.options) }];
  }
  const within = { ...context, above: path };
  const branches = (issue.errors ?? []).map((errors) =>
    ofRightType(errors).flatMap((error) => toFaults(error, within)),
  );
  if (path.length === 0 || valueAt(context.root, path) !== undefined) return mergeBranches(path, branches);
  const expected = branches.flat().filter((fault) => fault.path.length === path.length);
  return [
    { path, kind: "missing", expected: [...new Set(expected.flatMap((fault) => fault.expected ?? []))] },
  ];
}

const words: Readonly<Record<string, string>> = {
  int: "integer",
  safeint: "integer",
  record: "object",
  map: "object",
  tuple: "array",
  set: "array",
};

function typeWords(expected: string | undefined): readonly string[] {
  if (expected === undefined || expected === "nonoptional") return [];
  return [Object.hasOwn(words, expected) ? (words[expected] ?? expected) : expected];
}

function quoted(values: readonly unknown[] | undefined): readonly string[] {
  return (values ?? []).map((value) =>
    typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? ""),
  );
}

/** The schema author's own message, if it is one: Zod's begin all alike. */
function ownWords({ message, code }: ZodIssue): string | undefined {
  if (code === "custom") return message === "Invalid input" ? "does not fit" : message;
  return /^Invalid (input|option|discriminator value)\b/.test(message) ? undefined : message;
}

/** Without a locale (as in the small builds) Zod says "Invalid input" to everything. */
function wordsOf(issue: ZodIssue): string {
  if (issue.message !== "Invalid input") return issue.message;
  const { code = "rule", minimum, maximum, format, divisor } = issue;
  const limit = minimum ?? maximum ?? format ?? divisor;
  return `does not fit (${code}${limit === undefined ? "" : ` ${JSON.stringify(limit)}`})`;
}

/** The names that the objects at a place of the schema have. */
function namesAt(node: ZodNode | undefined, path: readonly Segment[], depth: number): ReadonlySet<string> {
  if (node === undefined || depth > maxDepth) return new Set();
  const { def } = node._zod;
  const [first, ...rest] = path;
  const into = (name: string, way = path) => namesAt(def[name] as ZodNode | undefined, way, depth + 1);
  switch (def.type) {
    case "object": {
      const shape = def["shape"] as Readonly<Record<string, ZodNode>>;
      if (first === undefined) return new Set(Object.keys(shape));
      return Object.hasOwn(shape, first) ? namesAt(shape[first], rest, depth + 1) : into("catchall", rest);
    }
    case "array":
      return into("element", rest);
    case "record":
      return into("valueType", rest);
    case "tuple":
      return namesAt((def["items"] as readonly ZodNode[])[Number(first)], rest, depth + 1);
    case "union":
      return merge((def["options"] as readonly ZodNode[]).map((option) => namesAt(option, path, depth + 1)));
    case "intersection":
      return merge([into("left"), into("right")]);
    case "pipe":
      return into(argumentSide(def));
    case "lazy":
      return namesAt((def["getter"] as () => ZodNode)(), path, depth + 1);
    default:
      return into("innerType");
  }
}

const maxDepth = 200;

function merge(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(sets.flatMap((set) => [...set]));
}
