import type * as z from "zod";
import { isRecord } from "../contract/is-record.js";
import { once } from "../contract/once.js";
import { configSchema } from "./config-schema.js";

/** What filling in defaults needs to know of a setting; plain JSON, unlike its schema. */
export interface ConfigShape {
  readonly default?: unknown;
  /** The settings of a section. A map whose keys people choose has none. */
  readonly keys?: Readonly<Record<string, ConfigShape>>;
}

declare const __TENON_CONFIG_SHAPE__: ConfigShape | undefined;

/** The shape of the whole configuration. The build knows it already: making all schemas takes a tenth of a short command. */
export const configShape = once((): ConfigShape => {
  return typeof __TENON_CONFIG_SHAPE__ === "object" ? __TENON_CONFIG_SHAPE__ : shapeOf(configSchema());
});

/** The shape of a schema. */
export function shapeOf(schema: z.core.$ZodType): ConfigShape {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "default" || def.type === "prefault")
    return { ...shapeOf(def.innerType), default: def.defaultValue };
  if (def.type === "optional") {
    const { keys } = shapeOf(def.innerType);
    return keys === undefined ? {} : { keys };
  }
  if (def.type !== "object") return {};
  return {
    keys: Object.fromEntries(Object.entries(def.shape).map(([key, inner]) => [key, shapeOf(inner)])),
  };
}

/** Fill in the defaults. Zod cannot: the normal form differs from what people write. */
export function fillDefaults(shape: ConfigShape, given: unknown): unknown {
  const value = shape.default === undefined ? given : (given ?? shape.default);
  if (!isRecord(value)) return value;
  // Keys of such a map are names that people choose: looking one up must not find what every object inherits.
  if (shape.keys === undefined) return Object.assign(Object.create(null) as Record<string, unknown>, value);
  const entries = Object.entries(shape.keys).map(
    ([key, inner]) => [key, fillDefaults(inner, value[key])] as const,
  );
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}
