import type { ZodNode } from "./close-zod.js";
import { clip } from "./format-path.js";
import { refuseSchema } from "./refuse-schema.js";
import { takePlain } from "./take-plain.js";
import { walkSchema, type SchemaNode } from "./walk-schema.js";

/** The JSON Schema of what a Zod schema takes (or, for results, gives), as strict as the check is. */
export function zodJsonSchema(schema: ZodNode, role: "input" | "output"): SchemaNode {
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

/**
 * Say `additionalProperties: false` where the check refuses unknown keys. The operands of an
 * intersection see each other's keys, so there the whole is closed instead of its parts.
 */
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
