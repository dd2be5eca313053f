import type { JsonSchema } from "../contract/json.js";
import type { ToolDescription } from "../contract/tool.js";
import { nearest } from "../schema/nearest.js";
import type { ChainDefinition } from "./chain-types.js";
import { singleSteps, type SingleStep } from "./check-steps.js";
import { parseText, type Reference } from "./reference.js";
import { referencesIn } from "./template.js";

type Describe = (name: string) => ToolDescription | undefined;

interface ChainScope {
  readonly owner: string;
  /** What the chain takes. */
  readonly own: JsonSchema | undefined;
  /** What each step gives, where that is known. */
  readonly given: ReadonlyMap<string, JsonSchema | undefined>;
}

/** Faults that only show against the tools of the steps: wrong argument names, types that cannot match. */
export function checkAgainstTools(chain: ChainDefinition, describe: Describe): readonly string[] {
  const steps = singleSteps(chain.steps);
  const given = new Map(steps.map((step) => [step.id, outputOf(step, describe)]));
  const own = describe(chain.name)?.inputSchema;
  return [
    ...steps.flatMap((step) => checkStep(step, { describe, chain, own, given })),
    ...checkReferences(chain.result, { owner: "its result", own, given }),
  ];
}

function outputOf(step: SingleStep, describe: Describe): JsonSchema | undefined {
  // A fallback may answer with something else.
  if (!("tool" in step) || step.fallback !== undefined) return undefined;
  return describe(step.tool)?.outputSchema;
}

interface Surroundings extends Omit<ChainScope, "owner"> {
  readonly describe: Describe;
  readonly chain: ChainDefinition;
}

function checkStep(step: SingleStep, around: Surroundings): readonly string[] {
  const { chain, own, given } = around;
  const place = { owner: `step "${step.id}"`, own, given };
  const faults = [...checkReferences(step.when, place)];
  if (!("tool" in step)) return faults;
  const fallback = typeof step.fallback === "string" ? { tool: step.fallback } : step.fallback;
  const calls = [{ tool: step.tool, input: step.input }];
  if (fallback !== undefined) calls.push({ tool: fallback.tool, input: fallback.input ?? step.input });
  for (const { tool, input } of calls) {
    const described = around.describe(tool);
    if (described === undefined) continue; // a tool that is registered later: the call itself will check
    if (chain.annotations?.readOnly === true && described.annotations.readOnly !== true)
      faults.push(`${place.owner} calls ${tool}, which changes things, but the chain says it only reads`);
    faults.push(...checkArguments(input ?? {}, described, place));
  }
  return [...new Set(faults)];
}

function checkArguments(input: unknown, tool: ToolDescription, place: ChainScope): readonly string[] {
  if (typeof input === "function") return [];
  const faults = [...checkReferences(input, place)];
  if (typeof input !== "object" || input === null || Array.isArray(input)) return faults;
  const { properties = {}, required = [], additionalProperties } = tool.inputSchema as ObjectSchema;
  const names = Object.keys(properties);
  for (const name of required)
    if (!Object.hasOwn(input, name)) faults.push(`${place.owner} does not pass "${name}" to ${tool.name}`);
  for (const [name, value] of Object.entries(input)) {
    if (!Object.hasOwn(properties, name)) {
      if (additionalProperties !== false) continue;
      const near = nearest(name, names);
      const advice = near === undefined ? "" : `; did you mean "${near}"?`;
      faults.push(`${place.owner} passes "${name}" to ${tool.name}, which does not accept it${advice}`);
      continue;
    }
    const fault = checkType(value, properties[name], place);
    if (fault !== undefined) faults.push(`${place.owner} passes ${fault} as "${name}" to ${tool.name}`);
  }
  return faults;
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

/** What is wrong with the type of a value, as far as it is known before the run. */
function checkType(value: unknown, wanted: JsonSchema | undefined, place: ChainScope): string | undefined {
  const type = wanted?.["type"];
  if (typeof type !== "string") return undefined;
  const actual = typeOf(value, place);
  if (actual === undefined || fits(actual, type)) return undefined;
  return `a value of type ${actual} instead of ${type}`;
}

function fits(actual: string, wanted: string): boolean {
  // A number may be whole: only the run can show that.
  return actual === wanted || (isNumeric(actual) && isNumeric(wanted));
}

function isNumeric(type: string): boolean {
  return type === "number" || type === "integer";
}

function typeOf(value: unknown, place: ChainScope): string | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value !== "string") return typeof value;
  const pieces = parseText(value);
  const [only] = pieces;
  if (pieces.length !== 1 || only === undefined || typeof only === "string") return "string";
  const type = schemaAt(only, place)?.["type"];
  return typeof type === "string" ? type : undefined;
}

function checkReferences(value: unknown, place: ChainScope): readonly string[] {
  if (typeof value === "function") return [];
  return referencesIn(value).flatMap((reference) => {
    const missing = missingIn(reference, place);
    return missing === undefined ? [] : [`${place.owner} takes {{ ${reference.text} }}, but ${missing}`];
  });
}

function missingIn(reference: Reference, place: ChainScope): string | undefined {
  let schema = rootOf(reference, place);
  for (const key of reference.path) {
    if (schema === undefined) return undefined;
    if (
      typeof key === "number" ? schema["type"] === "object" : isClosed(schema) && !hasProperty(schema, key)
    ) {
      const names = Object.keys((schema as ObjectSchema).properties ?? {});
      const near = typeof key === "string" ? nearest(key, names) : undefined;
      return `there is no "${key}" in it${near === undefined ? "" : `; did you mean "${near}"?`}`;
    }
    schema = below(schema, key);
  }
  return undefined;
}

function schemaAt(reference: Reference, place: ChainScope): JsonSchema | undefined {
  return reference.path.reduce<JsonSchema | undefined>(
    (schema, key) => schema && below(schema, key),
    rootOf(reference, place),
  );
}

function rootOf({ step }: Reference, { own, given }: ChainScope): JsonSchema | undefined {
  return step === undefined ? own : given.get(step);
}

function isClosed(schema: JsonSchema): boolean {
  return schema["type"] === "object" && schema["additionalProperties"] === false;
}

function hasProperty(schema: JsonSchema, key: string): boolean {
  return Object.hasOwn((schema as ObjectSchema).properties ?? {}, key);
}

function below(schema: JsonSchema, key: string | number): JsonSchema | undefined {
  const inner =
    typeof key === "number"
      ? schema["items"]
      : hasProperty(schema, key) && (schema as ObjectSchema).properties?.[key];
  return typeof inner === "object" && inner !== null ? (inner as JsonSchema) : undefined;
}
