import type { ErrorObject } from "ajv";
import { isRecord } from "../contract/is-record.js";
import { mergeBranches, type Fault } from "./fault.js";
import { formatPath, type Segment } from "./format-path.js";
import type { SchemaNode } from "./walk-schema.js";
import { schemasBelow } from "./schemas-below.js";

/** Translate the compiler's errors, with the many errors of a union's branches made into one answer. */
export function toFaults(
  errors: readonly ErrorObject[],
  schema: SchemaNode,
  root: unknown,
): readonly Fault[] {
  let found: Found[] = [];
  const below = new Map<unknown, ReadonlySet<object>>();
  // Nobody reads the thousandth fault, and sorting them by branch takes time.
  for (const error of errors.slice(0, maxErrors)) {
    const path = toPath(error.instancePath, root);
    const from: SchemaNode | undefined = error.parentSchema;
    const branches = branchesOf(error, from);
    if (branches === undefined) {
      for (const fault of toPlainFaults(error, path)) found.push({ fault, from });
      continue;
    }
    // A branch's errors come before the error of the union itself.
    for (const branch of branches) {
      if (!below.has(branch)) below.set(branch, schemasBelow(branch, schema));
    }
    const groups = groupByBranch(found, branches, { below, depth: path.length });
    const grouped = new Set(groups.flat());
    found = found.filter((one) => !grouped.has(one));
    const faults = mergeBranches(
      path,
      groups.map((group) => group.map((one) => one.fault)),
    );
    for (const fault of faults) found.push({ fault, from });
  }
  return found.filter((one) => !isSaidBetter(one, found)).map((one) => one.fault);
}

/** A list of values makes the type beside it needless. */
function isSaidBetter({ fault, from }: Found, found: readonly Found[]): boolean {
  if (fault.kind !== "type" || (from?.["enum"] === undefined && from?.["const"] === undefined)) return false;
  const place = formatPath(fault.path);
  return found.some(
    (other) => other.from === from && other.fault.kind === "value" && formatPath(other.fault.path) === place,
  );
}

const maxErrors = 1000;
const maxBranches = 40;

interface Found {
  readonly fault: Fault;
  /** The schema that holds the keyword which failed. */
  readonly from: SchemaNode | undefined;
}

function branchesOf(error: ErrorObject, from: SchemaNode | undefined): readonly unknown[] | undefined {
  if (error.keyword !== "anyOf" && error.keyword !== "oneOf") return undefined;
  // More than one branch fits: there is nothing to choose from.
  if (Array.isArray(error.params["passingSchemas"])) return undefined;
  const branches = from?.[error.keyword];
  return Array.isArray(branches) ? branches.slice(0, maxBranches) : undefined;
}

/** Errors name the schema they stem from; those of one branch stand together, in the order of branches. */
function groupByBranch(
  found: readonly Found[],
  branches: readonly unknown[],
  { below, depth }: { readonly below: ReadonlyMap<unknown, ReadonlySet<object>>; readonly depth: number },
): Found[][] {
  const groups: Found[][] = branches.map(() => []);
  let current = 0;
  for (const one of found) {
    if (one.from === undefined || one.fault.path.length < depth) continue;
    const { from } = one;
    const index = branches.findIndex((branch, at) => at >= current && below.get(branch)?.has(from));
    if (index === -1) continue;
    groups[index]?.push(one);
    current = index;
  }
  return groups.filter((group) => group.length > 0);
}

function toPlainFaults(error: ErrorObject, path: readonly Segment[]): readonly Fault[] {
  const { keyword, params, schema } = error;
  const parent = (error.parentSchema ?? {}) as SchemaNode;
  switch (keyword) {
    case "type":
      return [{ path, kind: "type", expected: [schema].flat().map(String) }];
    case "required": {
      const name = String(params["missingProperty"]);
      return [{ path: [...path, name], kind: "missing", expected: typesOf(propertiesOf(parent)[name]) }];
    }
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = String(params["additionalProperty"] ?? params["unevaluatedProperty"]);
      return [{ path: [...path, name], kind: "unknown", known: namesOf(parent) }];
    }
    case "enum":
      return [{ path, kind: "value", expected: (schema as unknown[]).map((value) => JSON.stringify(value)) }];
    case "const":
      return [{ path, kind: "value", expected: [JSON.stringify(schema)] }];
    case "false schema":
      return [{ path, kind: "rule", message: "is not allowed" }];
    case "oneOf":
      return [{ path, kind: "rule", message: "must fit just one of the allowed forms, but fits several" }];
    case "format":
      return [{ path, kind: "rule", message: `must be a valid ${String(schema)}` }];
    // The branch that was taken has told already what is wrong.
    case "if":
      return [];
    default:
      return [{ path, kind: "rule", message: error.message ?? `must fit "${keyword}"` }];
  }
}

function propertiesOf(schema: SchemaNode): SchemaNode {
  const { properties } = schema;
  return isRecord(properties) ? properties : {};
}

function namesOf(schema: SchemaNode): readonly string[] {
  const branches = ["allOf", "anyOf", "oneOf"].flatMap((word) => schema[word] ?? []);
  return [schema, ...branches].flatMap((one) => (isRecord(one) ? Object.keys(propertiesOf(one)) : []));
}

function typesOf(schema: unknown): readonly string[] {
  if (!isRecord(schema)) return [];
  const { type, enum: values, const: value } = schema;
  if (Array.isArray(values)) return values.map((one) => JSON.stringify(one));
  if (value !== undefined) return [JSON.stringify(value)];
  return [type ?? []].flat().map(String);
}

/** A JSON pointer as steps into the value; only the value tells an index from a name. */
function toPath(pointer: string, root: unknown): readonly Segment[] {
  if (pointer === "") return [];
  let value = root;
  return pointer
    .slice(1)
    .split("/")
    .map((token) => {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      const segment = Array.isArray(value) ? Number(key) : key;
      value = (Object(value) as Record<Segment, unknown>)[segment];
      return segment;
    });
}
