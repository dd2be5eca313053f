import { isRecord } from "../contract/is-record.js";
import { ToolDefinitionError } from "../contract/errors.js";
import type { SchemaSource } from "../contract/schema-source.js";
import type { Validator } from "./checked.js";
import { describeThrown } from "./describe-alien.js";
import { describeFaults } from "./describe-faults.js";
import { type Source, valueAt, type Fault } from "./fault.js";
import { deepFreeze, admits } from "./json-value.js";
import { once } from "../contract/once.js";
import { fromParameters } from "./parameters.js";
import { refuseSchema } from "./refuse-schema.js";
import { fromStandard, isStandard } from "./standard-schema.js";
import { fromZod, isZodLike } from "./zod-schema.js";
import { type Segment, clip } from "./format-path.js";
import { parseJson } from "./parse-json.js";
import { copyLimits, defaultPlainLimits, takePlain } from "./take-plain.js";
import { compileAjv } from "./ajv-check.js";
import { combinators, inspectJsonSchema } from "./inspect-json-schema.js";
import type { SchemaNode } from "./walk-schema.js";

export type { ArgumentIssue, Checked, Validator } from "./checked.js";

/**
 * Make one validator and one JSON Schema out of a Zod schema, a Standard Schema, a JSON Schema or a list of parameters.
 * What is plainly wrong is refused here with a ToolDefinitionError; the costly part waits for the
 * first use, so that a thousand tools can be registered in a moment.
 *
 * @example
 * const { check } = compileSchema([{ name: "path", type: "string", required: true }]);
 * check({ pth: "a" }); // not ok: "path" is required, unknown "pth"
 */
export function compileSchema(source: SchemaSource, role: "input" | "output" = "input"): Validator {
  const ready = readSource(source, role);
  const schema = once(() => deepFreeze(ready.jsonSchema()));
  return {
    get jsonSchema() {
      return schema();
    },
    check: role === "input" ? inputCheck(ready) : outputCheck(ready),
  };
}

function readSource(source: SchemaSource, role: "input" | "output"): Source {
  try {
    return toSource(source, role);
  } catch (error) {
    if (error instanceof ToolDefinitionError) throw error;
    // A proxy or a counterfeit schema that throws when it is looked at.
    return refuseSchema(`The schema cannot be read: ${describeThrown(error)}.`, error);
  }
}

function toSource(source: SchemaSource, role: "input" | "output"): Source {
  if (Array.isArray(source)) return fromParameters(source, role);
  if ((typeof source !== "object" && typeof source !== "function") || source === null) {
    return refuseSchema(
      `A schema must be a Zod schema, a Standard Schema, a JSON Schema or a list of parameters, not ${String(source)}.`,
    );
  }
  if (isStandard(source) && !("_zod" in source) && !("_def" in source)) return fromStandard(source, role);
  return isZodLike(source) ? fromZod(source, role) : fromJsonSchema(source, role);
}

function outputCheck(source: Source): Validator["check"] {
  return (value) => {
    const outcome = source.run(value);
    if (outcome.ok) return outcome;
    return { ok: false, issues: outcome.issues ?? describeFaults(outcome.faults, value, "The result") };
  };
}

/** Rounds of reading JSON out of strings: the arguments as a whole, then what is inside them. */
const maxRounds = 3;

function inputCheck(source: Source): Validator["check"] {
  return (given = {}) => {
    let value: unknown = given;
    let outcome = source.run(value);
    for (let round = 0; !outcome.ok && round < maxRounds; round++) {
      const repaired = unstringify(value, outcome.faults);
      if (repaired === undefined) break;
      value = repaired.value;
      outcome = source.run(value);
    }
    if (outcome.ok) return outcome;
    return { ok: false, issues: outcome.issues ?? describeFaults(outcome.faults, value, "The arguments") };
  };
}

/**
 * Models sometimes send an object or array as a string of JSON. Where the schema asked for one of
 * those and nothing else, and the string parses to just that, take what it holds. Returns the repaired
 * copy, or `undefined` if there is nothing to repair. It works from the faults of a failed check,
 * so a right call never pays for it.
 */
function unstringify(root: unknown, faults: readonly Fault[]): { readonly value: unknown } | undefined {
  const repairs = faults.flatMap((fault) => repairOf(root, fault) ?? []);
  if (repairs.length === 0) return undefined;
  const whole = repairs.find((repair) => repair.path.length === 0);
  if (whole !== undefined) return within(whole.value);
  const copy = takePlain(root, copyLimits);
  if (!copy.ok) return undefined;
  for (const { path, value } of repairs) {
    const parent = valueAt(copy.value, path.slice(0, -1)) as Record<Segment, unknown>;
    parent[path.at(-1) ?? ""] = value;
  }
  return within(copy.value);
}

interface Repair {
  readonly path: readonly Segment[];
  readonly value: unknown;
}

function repairOf(root: unknown, fault: Fault): Repair | undefined {
  if (fault.kind !== "type" || fault.expected === undefined) return undefined;
  // A place that also takes other types is only unambiguous if no string could have been meant.
  const kinds = fault.expected.filter((type) => type === "object" || type === "array");
  if (kinds.length === 0 || fault.expected.includes("string")) return undefined;
  const text = valueAt(root, fault.path);
  if (typeof text !== "string" || !/^\s*[[{]/.test(text)) return undefined;
  const parsed = parseJson(text);
  if (!parsed.ok || !kinds.some((kind) => admits(kind, parsed.value))) return undefined;
  return { path: fault.path, value: parsed.value };
}

/** What was hidden in strings counts against the same limits as if it had come in the open. */
function within(value: unknown): { readonly value: unknown } | undefined {
  const taken = takePlain(value, defaultPlainLimits);
  return taken.ok ? { value: taken.value } : undefined;
}

/** Make a JSON Schema ready: looked through at once, compiled when the first value comes. */
function fromJsonSchema(source: unknown, role: "input" | "output"): Source {
  const taken = takePlain(source, schemaLimits);
  if (!taken.ok) refuseSchema(`The schema cannot be used: ${taken.issues[0]?.message}.`);
  const schema = taken.value;
  if (!isNode(schema)) refuseSchema(`A schema must be an object, not ${clip(JSON.stringify(schema))}.`);
  const published = role === "input" ? toInputSchema(schema) : schema;
  const draft = inspectJsonSchema(published);
  const check = once(() => compileAjv(published, draft));
  return {
    jsonSchema: () => published,
    run: (value) => check()(value),
  };
}

/** About a megabyte of text in all; the values keep the compiler's work bounded. */
const schemaLimits = { depth: 64, values: 50_000, chars: 1024 * 1024 };

function isNode(value: unknown): value is SchemaNode {
  return isRecord(value);
}

/** Arguments are always one object; where nothing else is said, of just the properties that are named. */
function toInputSchema(schema: SchemaNode): SchemaNode {
  const { type } = schema;
  const types = Array.isArray(type) ? type : [type ?? "object"];
  if (!types.includes("object")) {
    refuseSchema(`The input schema must be of type "object", not ${clip(JSON.stringify(type))}.`);
  }
  return {
    ...schema,
    type: "object",
    ...(countsAsClosed(schema) ? { additionalProperties: false } : {}),
  };
}

function countsAsClosed(schema: SchemaNode): boolean {
  if (schema["additionalProperties"] !== undefined) return false;
  if (combinators.some((word) => schema[word] !== undefined)) return false;
  const { properties } = schema;
  return isNode(properties) && Object.keys(properties).length > 0;
}
