import { isRecord } from "../contract/is-record.js";
import { clip } from "./format-path.js";
import { refuseSchema } from "./refuse-schema.js";

/** A JSON Schema that is an object. */
export type SchemaNode = Record<string, unknown>;

/** Call `visit` for every schema inside a schema that is an object; data such as defaults is left alone. */
export function walkSchema(root: SchemaNode, visit: (node: SchemaNode, place: string) => void): void {
  const open: { node: SchemaNode; place: string }[] = [{ node: root, place: "the schema" }];
  for (;;) {
    const next = open.pop();
    if (next === undefined) return;
    visit(next.node, next.place);
    for (const keyword of Object.keys(next.node)) {
      const shape = applicators.get(keyword);
      if (shape === undefined) continue;
      for (const [step, child] of childrenOf(next.node[keyword], shape, `${next.place}/${keyword}`)) {
        const node = toNode(child, step);
        if (node !== undefined) open.push({ node, place: step });
      }
    }
  }
}

type Shape = "one" | "list" | "map" | "one or list";

const applicators: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["properties", "map"],
  ["patternProperties", "map"],
  ["$defs", "map"],
  ["definitions", "map"],
  ["dependentSchemas", "map"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["prefixItems", "list"],
  ["items", "one or list"],
  ["additionalItems", "one"],
  ["additionalProperties", "one"],
  ["unevaluatedItems", "one"],
  ["unevaluatedProperties", "one"],
  ["propertyNames", "one"],
  ["contains", "one"],
  ["not", "one"],
  ["if", "one"],
  ["then", "one"],
  ["else", "one"],
]);

function childrenOf(
  value: unknown,
  shape: Shape,
  place: string,
): (readonly [place: string, child: unknown])[] {
  if (Array.isArray(value) && (shape === "list" || shape === "one or list")) {
    if (value.length === 0 && place.endsWith("Of"))
      refuseSchema(`${place} must contain at least one schema.`);
    return value.map((child, index) => [`${place}/${index}`, child] as const);
  }
  if (shape === "one" || shape === "one or list") return [[place, value]];
  if (shape === "list" || typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuseSchema(
      `${clip(place, 200)} must be ${shape === "list" ? "a list" : "an object"} of schemas.`,
    );
  }
  return Object.entries(value).map(([key, child]) => [`${place}/${clip(key, 60)}`, child] as const);
}

function toNode(child: unknown, place: string): SchemaNode | undefined {
  if (typeof child === "boolean") return undefined;
  if (isRecord(child)) return child;
  return refuseSchema(`${clip(place, 200)} must be a schema: an object, true or false.`);
}
