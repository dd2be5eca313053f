import { isRecord } from "../contract/is-record.js";
import { closeZod, type ZodNode } from "./close-zod.js";
import type { Fault, Outcome, Source } from "./fault.js";
import { clip } from "./format-path.js";
import { refuseSchema } from "./refuse-schema.js";
import { zodFaults, type ZodIssue } from "./zod-faults.js";
import { takePlain } from "./take-plain.js";
import { walkSchema, type SchemaNode } from "./walk-schema.js";

/** Make a Zod schema ready; the first value and the first look at its JSON Schema pay for the work. */
export function fromZod(source: object, role: "input" | "output"): Source {
  const schema = toNode(source);
  const input = role === "input";
  if (input) checkObject(schema);
  // A result keeps Zod's own manner: keys that the author did not name are dropped, as he asked.
  let ready: { readonly schema: ZodNode; readonly shadowed: boolean } | undefined;
  return {
    jsonSchema: () => zodJsonSchema(schema, role),
    run: (value) => {
      if (input && !isRecord(value)) return { ok: false, faults: [notObject] };
      // Zod reads `input[name]`: without this, "constructor" would be there in every object.
      ready ??= { schema: input ? close(schema) : schema, shadowed: hasInheritedName(schema) };
      const given = ready.shadowed ? Object.assign(Object.create(null) as object, value) : value;
      return parse(ready.schema, given);
    },
  };
}

/** Tell whether a value is a schema of Zod or of a library like it, rather than a JSON Schema. */
export function isZodLike(source: object): boolean {
  return "_zod" in source || "~standard" in source || ("_def" in source && "safeParse" in source);
}

const notObject: Fault = { path: [], kind: "type", expected: ["object"] };

function toNode(source: object): ZodNode {
  const node = source as Partial<ZodNode>;
  if (node._zod?.def !== undefined && typeof node.safeParse === "function") return node as ZodNode;
  if ("_def" in source) refuseSchema("This is a schema of Zod 3; Tenon takes schemas of Zod 4.");
  return refuseSchema("This is a schema of another library; pass a Zod 4 schema or its JSON Schema.");
}

/** Types that no object can ever fit; one that may (`any`, a union, a transform) is judged value by value. */
const noObjects: ReadonlySet<string> = new Set(
  "string number int boolean bigint symbol undefined null void never date nan enum literal file template_literal array tuple map set function promise".split(
    " ",
  ),
);

function checkObject(schema: ZodNode): void {
  let { def } = schema._zod;
  for (let depth = 0; depth < 64; depth++) {
    if (noObjects.has(def.type)) refuseSchema(`The input schema must be an object, not ${def.type}.`);
    const inner = (def["innerType"] ?? (def.type === "pipe" ? def["in"] : undefined)) as ZodNode | undefined;
    if (inner === undefined) return;
    ({ def } = inner._zod);
  }
}

function hasInheritedName({ _zod: { def } }: ZodNode): boolean {
  return def.type === "object" && Object.keys(Object(def["shape"])).some((name) => name in Object.prototype);
}

function close(schema: ZodNode): ZodNode {
  try {
    return closeZod(schema);
  } catch (error) {
    return refuseSchema(`The Zod schema cannot be used: ${clip(String(error))}.`, error);
  }
}

function parse(schema: ZodNode, value: unknown): Outcome {
  try {
    const result = schema.safeParse(value);
    if (result.success) return { ok: true, value: result.data };
    return { ok: false, faults: zodFaults(result.error.issues as unknown as ZodIssue[], schema, value) };
  } catch (error) {
    return { ok: false, faults: [{ path: [], kind: "rule", message: describeThrow(error) }] };
  }
}

/** A schema's own code threw: a refinement, a transform, or one that wants to wait. */
function describeThrow(error: unknown): string {
  const name = error instanceof Error ? error.constructor.name : "";
  if (name.includes("Async")) {
    return "could not be checked: the tool's schema has an asynchronous check, which is not supported; do that work in execute";
  }
  return `could not be checked: the tool's schema failed (${clip(error instanceof Error ? error.message : String(error))})`;
}

/** The JSON Schema of what a Zod schema takes (or, for results, gives), as strict as the check is. */
function zodJsonSchema(schema: ZodNode, role: "input" | "output"): SchemaNode {
  const taken = takePlain(convert(schema, role), schemaLimits);
  if (!taken.ok) refuseSchema(`The Zod schema has no JSON Schema: ${taken.issues[0]?.message}.`);
  // Every reader of tool schemas assumes this draft; the line would only cost tokens.
  const { $schema: _draft, ...json } = taken.value as SchemaNode;
  if (role === "output") return json;
  closeObjects(json);
  return json["type"] === "object" ? json : { type: "object", ...json };
}

const schemaLimits = { depth: 200, values: 200_000, chars: 4 * 1024 * 1024 };

interface Convertible {
  readonly "~standard"?: {
    readonly jsonSchema?: Readonly<Record<"input" | "output", (options: object) => unknown>>;
  };
  toJSONSchema?(options: object): unknown;
}

/** What has no JSON form (a date, a transform's result) stands as "anything" rather than failing the tool. */
function convert(schema: ZodNode, role: "input" | "output"): unknown {
  const convertible = schema as Convertible;
  const standard = convertible["~standard"];
  const options = { unrepresentable: "any" };
  try {
    if (standard?.jsonSchema !== undefined) {
      return standard.jsonSchema[role]({ target: "draft-2020-12", libraryOptions: options });
    }
    if (convertible.toJSONSchema !== undefined) return convertible.toJSONSchema({ ...options, io: role });
  } catch (error) {
    return refuseSchema(`The Zod schema has no JSON Schema: ${clip(String(error), 200)}.`, error);
  }
  return refuseSchema(
    "This copy of Zod cannot write JSON Schemas; use Zod 4.2 or later, not its small build.",
  );
}

/** Add `additionalProperties: false` where unknown keys are refused; for an intersection, on the whole of it. */
function closeObjects(json: SchemaNode): void {
  const operands = new Set<unknown>();
  walkSchema(json, ({ allOf = [] }) => {
    for (const operand of allOf as SchemaNode[]) {
      operands.add(operand);
      if (typeof operand["$ref"] === "string") operands.add(operand["$ref"]);
    }
  });
  walkSchema(json, (node, place) => {
    const shared = operands.has(node) || operands.has(place.replace(/^the schema/, "#"));
    if (Array.isArray(node["allOf"]) && !shared) closeWhole(node);
    if (node["type"] !== "object" || node["properties"] === undefined || shared) return;
    if (node["allOf"] === undefined) node["additionalProperties"] ??= false;
  });
}

/** Only where every operand is a plain object: an open one opens the whole. */
function closeWhole(node: SchemaNode): void {
  const plain = (node["allOf"] as SchemaNode[]).every(
    ({ type, properties, additionalProperties }) =>
      type === "object" && properties !== undefined && additionalProperties === undefined,
  );
  if (plain) node["unevaluatedProperties"] = false;
}
