import { createRequire } from "node:module";
import type * as AjvModule from "ajv";
import type { Ajv, Options } from "ajv";
import type { FormatsPlugin } from "ajv-formats";
import { toFaults } from "./ajv-faults.js";
import type { Outcome } from "./fault.js";
import { clip } from "./format-path.js";
import type { Draft } from "./inspect-json-schema.js";
import { canonicalJson } from "./json-value.js";
import { BudgetSpent, linearPattern, type Budget } from "./linear-pattern.js";
import { refuseSchema } from "./refuse-schema.js";
import { copyLimits, takePlain } from "./take-plain.js";
import { walkSchema, type SchemaNode } from "./walk-schema.js";

/** Compile an inspected JSON Schema into a check; each has its own instance, so that no `$id` can clash. */
export function compileAjv(schema: SchemaNode, draft: Draft): (value: unknown) => Outcome {
  const budget: Budget = { left: 0 };
  const own = instrument(schema);
  const validate = compile(createAjv(draft, budget), own);
  return (value) => {
    // Defaults are filled in where they are missing, so the check works on a copy.
    const copy = takePlain(value, copyLimits);
    if (!copy.ok) return { ok: false, faults: [], issues: copy.issues };
    budget.left = workPerCheck;
    try {
      if (validate(copy.value)) return { ok: true, value: copy.value };
      return { ok: false, faults: toFaults(validate.errors ?? [], own, copy.value) };
    } catch (error) {
      if (error instanceof BudgetSpent)
        return refused("is too large or too deep for this schema to be checked");
      return refused(`could not be checked: ${clip(String(error))}`);
    }
  };
}

/** Work of all kinds in one check: a tenth of a second or so at the worst, far above any honest call. */
const workPerCheck = 4_000_000;

function refused(message: string): Outcome {
  return { ok: false, faults: [{ path: [], kind: "rule", message }] };
}

function compile(ajv: Ajv, schema: SchemaNode) {
  try {
    return ajv.compile(schema);
  } catch (error) {
    return refuseSchema(`The schema cannot be compiled: ${clip((error as Error).message, 200)}.`, error);
  }
}

const stepKeyword = "x-tenon-step";

/** A schema that fails makes an error object; beside that, comparing a name or a character is nothing. */
const costOfSchema = 8;

/**
 * A copy for the compiler in which every schema counts its work. A schema that refers to itself in two
 * branches takes 2^depth steps on nested data; counted, it ends in a refusal instead of a hang.
 */
function instrument(schema: SchemaNode): SchemaNode {
  const copy = structuredClone(schema);
  walkSchema(copy, (node) => {
    // Either would change what compiling means: validators that return promises, rules of another draft.
    delete node["$async"];
    delete node["$schema"];
    // Remains of older drafts and of OpenAPI, at which the compiler stops instead of passing over them.
    delete node["id"];
    if (node["type"] === undefined) delete node["nullable"];
    const { enum: values, required, properties } = node;
    const length = [values, required].map((list) => (Array.isArray(list) ? list.length : 0));
    const names = typeof properties === "object" ? Object.keys(properties ?? {}).length : 0;
    node[stepKeyword] = costOfSchema + length.reduce((sum, one) => sum + one, names);
  });
  return copy;
}

const require = createRequire(import.meta.url);

function createAjv(draft: Draft, budget: Budget): Ajv {
  const { default: Engine } = engines[draft]() as { default: new (options: Options) => Ajv };
  const addFormats = (require("ajv-formats") as { default: FormatsPlugin }).default;
  const ajv = new Engine({
    allErrors: true,
    useDefaults: true,
    ownProperties: true,
    verbose: true,
    strict: false,
    logger: false,
    // Checking against the meta-schema takes 60 ms a schema; the shapes that matter were inspected.
    meta: false,
    validateSchema: false,
    code: {
      regExp: Object.assign((source: string) => linearPattern(source, budget), { code: "linearPattern" }),
    },
  });
  addFormats(ajv);
  boundFormats(ajv);
  countSteps(ajv, budget);
  replaceUniqueItems(ajv);
  return ajv;
}

const engines: Readonly<Record<Draft, () => unknown>> = {
  "2020-12": () => require("ajv/dist/2020.js"),
  "2019-09": () => require("ajv/dist/2019.js"),
  "07": () => require("ajv"),
};

const maxFormattedLength = 4096;

/** The expressions behind the formats are quadratic at worst; no honest date or address is this long. */
function boundFormats(ajv: Ajv): void {
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (unbounded.has(name) || format === undefined) continue;
    const test = toTest(format);
    if (test === undefined) continue;
    ajv.addFormat(name, (text: string) => text.length <= maxFormattedLength && test(text));
  }
}

const unbounded: ReadonlySet<string> = new Set(["byte", "binary", "password"]);

function toTest(format: unknown): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === "function") return format as (text: string) => boolean;
  const { type, validate } = Object(format) as { type?: string; validate?: unknown };
  return type === "number" ? undefined : toTest(validate);
}

function countSteps(ajv: Ajv, budget: Budget): void {
  const { _ } = require("ajv") as typeof AjvModule;
  const step = (cost: number) => {
    budget.left -= cost;
    if (budget.left < 0) throw new BudgetSpent("too much work to check");
  };
  ajv.addKeyword({
    keyword: stepKeyword,
    schemaType: "number",
    code: ({ gen, schema }) => {
      const counter = gen.scopeValue("func", { ref: step });
      gen.code(_`${counter}(${Number(schema)})`);
    },
  });
}

/** The compiler's own compares every pair of elements: minutes for the 100,000 that may come. */
function replaceUniqueItems(ajv: Ajv): void {
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must not contain the same element twice" },
    validate: (wanted: boolean, items: readonly unknown[]) =>
      !wanted || new Set(items.map((item) => canonicalJson(item))).size === items.length,
  });
}
