import type { StandardSchema } from "../contract/schema-source.js";
import { isRecord } from "../contract/is-record.js";
import { isThenable } from "../contract/is-thenable.js";
import { describeThrown } from "./describe-alien.js";
import type { Fault, Outcome, Source } from "./fault.js";
import type { Segment } from "./format-path.js";
import { refuseSchema } from "./refuse-schema.js";

/** Tell whether a value is a schema by the Standard Schema specification. */
export function isStandard(source: object): source is StandardSchema {
  return (
    "~standard" in source &&
    isRecord(source["~standard"]) &&
    typeof source["~standard"]["validate"] === "function"
  );
}

/**
 * Make a schema of any library that keeps the Standard Schema specification ready. What models see is its own JSON
 * Schema, where the library has one (Standard JSON Schema, or a `toJsonSchema` method); what counts is its `validate`.
 */
export function fromStandard(source: StandardSchema, role: "input" | "output"): Source {
  const { "~standard": standard } = source;
  return {
    jsonSchema: () => readJsonSchema(source, role),
    run(value): Outcome {
      if (role === "input" && !isRecord(value)) return { ok: false, faults: [notObject] };
      try {
        const result = standard.validate(value);
        if (isThenable(result))
          return rule("This schema validates asynchronously, which Tenon cannot wait for");
        const { issues } = result;
        return issues === undefined
          ? { ok: true, value: (result as { value: unknown }).value }
          : { ok: false, faults: issues.map(toFault) };
      } catch (error) {
        return rule(`The schema failed: ${describeThrown(error)}`);
      }
    },
  };
}

const notObject: Fault = { path: [], kind: "type", expected: ["object"] };

function rule(message: string): Outcome {
  return { ok: false, faults: [{ path: [], kind: "rule", message }] };
}

type Issue = NonNullable<Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>["issues"]>[number];

function toFault({ message, path = [] }: Issue): Fault {
  return {
    path: path.map((step) => toSegment(typeof step === "object" ? step.key : step)),
    kind: "rule",
    message,
  };
}

function toSegment(key: PropertyKey): Segment {
  return typeof key === "number" ? key : String(key);
}

/** The JSON Schema of the library; one without says only that an object is expected. */
function readJsonSchema(source: StandardSchema, role: "input" | "output"): Readonly<Record<string, unknown>> {
  const { jsonSchema } = source["~standard"];
  const { toJsonSchema } = source as { toJsonSchema?: unknown };
  let schema: unknown;
  try {
    if (jsonSchema !== undefined) schema = jsonSchema[role]({ target: "draft-2020-12" });
    else if (typeof toJsonSchema === "function") schema = toJsonSchema.call(source);
    else schema = { type: "object" };
  } catch (error) {
    return refuseSchema(`The schema has no JSON Schema: ${describeThrown(error)}.`, error);
  }
  return isRecord(schema) ? schema : refuseSchema("The JSON Schema of the schema must be an object.");
}
