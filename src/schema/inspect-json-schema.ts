import { isRecord } from "../contract/is-record.js";
import { ToolDefinitionError } from "../contract/errors.js";
import { clip } from "./format-path.js";
import { admits } from "./json-value.js";
import { toProgram } from "./pattern-program.js";
import { refuseSchema } from "./refuse-schema.js";
import { targetOf } from "./schemas-below.js";
import { walkSchema, type SchemaNode } from "./walk-schema.js";

/** Which rules a document is read by. */
export type Draft = "2020-12" | "2019-09" | "07";

/**
 * Find what makes a JSON Schema wrong without compiling it: keywords of the wrong shape, required
 * properties that are not defined, references that lead out of the document or nowhere.
 * Returns the draft that it follows.
 */
export function inspectJsonSchema(root: SchemaNode): Draft {
  const refs: string[] = [];
  let embedded = false;
  let old = false;
  walkSchema(root, (node, place) => {
    checkShapes(node, place);
    checkRequired(node, place);
    for (const word of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      if (typeof node[word] === "string") refs.push(node[word]);
    }
    embedded ||= typeof node["$id"] === "string";
    old ||= Array.isArray(node["items"]) || node["dependencies"] !== undefined;
  });
  for (const ref of refs) checkRef(root, ref, embedded);
  return draftOf(root, old);
}

const typeNames: ReadonlySet<unknown> = new Set("string number integer boolean object array null".split(" "));

const keywordTypes: Readonly<Record<string, string>> = {
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  minLength: "integer",
  maxLength: "integer",
  minItems: "integer",
  maxItems: "integer",
  minProperties: "integer",
  maxProperties: "integer",
  minContains: "integer",
  maxContains: "integer",
  uniqueItems: "boolean",
  pattern: "string",
  format: "string",
  $ref: "string",
  $id: "string",
  $anchor: "string",
  dependentRequired: "object",
};

/** The compiler trusts some values more than it should, and would find the others only when it is used. */
function checkShapes(node: SchemaNode, place: string): void {
  for (const keyword in node) {
    const wanted = Object.hasOwn(keywordTypes, keyword) ? keywordTypes[keyword] : undefined;
    if (wanted === undefined || admits(wanted, node[keyword])) continue;
    refuseSchema(`"${keyword}" of ${place} must be of type ${wanted}.`);
  }
  checkLists(node, place);
  const { pattern, patternProperties = {} } = node;
  const patterns = Object.keys(patternProperties as object);
  for (const source of typeof pattern === "string" ? [pattern, ...patterns] : patterns) {
    checkPattern(source, place);
  }
}

function checkLists(node: SchemaNode, place: string): void {
  const { type, required, enum: values, dependentRequired = {} } = node;
  const names = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const wrong = names.find((name) => !typeNames.has(name));
  if (wrong !== undefined)
    refuseSchema(`${place} has the type ${clip(JSON.stringify(wrong))}, which does not exist.`);
  if (Array.isArray(type) && type.length === 0) refuseSchema(`${place} allows no type at all.`);
  if (required !== undefined && !isNameList(required)) {
    refuseSchema(`"required" of ${place} must be a list of property names.`);
  }
  if (values !== undefined && (!Array.isArray(values) || values.length === 0)) {
    refuseSchema(`"enum" of ${place} must be a list with at least one value.`);
  }
  if (!Object.values(dependentRequired as object).every(isNameList)) {
    refuseSchema(`"dependentRequired" of ${place} must contain lists of property names.`);
  }
}

function checkPattern(source: string, place: string): void {
  try {
    toProgram(source);
  } catch (error) {
    refuseSchema(
      `The pattern ${clip(source, 60)} of ${place} cannot be used: ${clip((error as Error).message)}.`,
      error,
    );
  }
}

function isNameList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/** Keywords that can define a property apart from `properties`. */
export const combinators =
  "$ref $dynamicRef $recursiveRef allOf anyOf oneOf if patternProperties unevaluatedProperties dependentSchemas dependencies".split(
    " ",
  );

/** Inside a branch a bare `required` is an honest way to say "one of these"; elsewhere it is a slip. */
function checkRequired(node: SchemaNode, place: string): void {
  const { properties, required, additionalProperties } = node;
  if (!isNameList(required) || isBranch(place)) return;
  if (properties === undefined && place !== rootPlace) return;
  if (combinators.some((word) => node[word] !== undefined) || isRecord(additionalProperties)) return;
  const missing = required.find((name) => !Object.hasOwn((properties as object | undefined) ?? {}, name));
  if (missing === undefined) return;
  throw new ToolDefinitionError(
    `The required property "${clip(missing)}" is not defined in the properties of ${place}.`,
    { code: "REQUIRED_UNDEFINED", hint: "Define the property or drop it from required." },
  );
}

const rootPlace = "the schema";

function isBranch(place: string): boolean {
  return /\/(?:allOf|anyOf|oneOf|not|if|then|else|dependentSchemas|dependencies|contains)(?:\/|$)/.test(
    place,
  );
}

function checkRef(root: SchemaNode, ref: string, embedded: boolean): void {
  // With an "$id" inside, only the compiler can tell what a reference means; it never fetches either.
  if (embedded) return;
  if (!ref.startsWith("#")) {
    refuseSchema(
      `"$ref": ${JSON.stringify(clip(ref))} leads out of the schema; such references are never fetched.`,
    );
  }
  if (!ref.startsWith("#/")) return;
  if (targetOf(ref, root) === undefined)
    refuseSchema(`"$ref": ${JSON.stringify(clip(ref))} leads nowhere in the schema.`);
}

function draftOf(root: SchemaNode, old: boolean): Draft {
  const { $schema: said } = root;
  if (typeof said === "string" && said.includes("2019-09")) return "2019-09";
  if (typeof said === "string" && /draft-0[3-7]/.test(said)) return "07";
  // Nothing is said: lists under "items" and "dependencies" are of the older draft.
  return old && said === undefined ? "07" : "2020-12";
}
