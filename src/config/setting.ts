import * as z from "zod";

/** What may be done with a setting besides checking it; see `setting`. */
export interface SettingRules {
  /** How a configuration file that nobody has trusted may change it. Without a rule, its value is ignored. */
  readonly tighten?: Tighten;
  /**
   * How the values of several sources become one: `add` joins the lists of all sources, `whole` takes everything from
   * the strongest source. @default maps are merged key by key, anything else comes from the strongest source
   */
  readonly merge?: "add" | "whole";
}

/** Returns the part of `wanted` that is stricter than the present value; `undefined` if there is none. */
export type Tighten = (wanted: never, context: TightenContext) => unknown;

export interface TightenContext {
  /** The value that counts without the untrusted file; `undefined` if it is not set and has no default. */
  readonly present: unknown;
  readonly type: z.ZodType;
  /** Report that a value, or the named part of it, was ignored. */
  readonly refuse: (part?: string) => void;
}

interface Declaration extends SettingRules {
  /** How the documentation shows the default, where the value does not say it. */
  readonly defaultText?: string;
}

/** Declare one setting: type, documentation, default, and how sources are merged and tightened. */
export function setting<T extends z.ZodType>(
  type: T,
  text: string,
  declaration: Declaration & { readonly default: z.input<T> },
): z.ZodDefault<T>;
export function setting<T extends z.ZodType>(
  type: T,
  text: string,
  declaration?: Declaration,
): z.ZodOptional<T>;
export function setting(
  type: z.ZodType,
  text: string,
  { defaultText, default: value, ...rules }: Declaration & { readonly default?: unknown } = {},
): z.ZodType {
  const shown = defaultText ?? (value === undefined ? undefined : showDefault(value));
  const schema = value === undefined ? type.optional() : type.default(value as never);
  const described = schema.describe(shown === undefined ? text : `${text} @default ${shown}`);
  settingRules.set(described, rules);
  return described;
}

/** Declare a group of settings; it is always there once the defaults are filled in. */
export function section<S extends z.ZodRawShape>(text: string, shape: S) {
  return z
    .strictObject(shape)
    .prefault({} as never)
    .describe(text);
}

/** Mark the entries of a map as one piece: sources never mix within an entry. */
export function whole<T extends z.ZodType>(type: T): T {
  settingRules.set(type, { merge: "whole" });
  return type;
}

/** Zod has no place for the rules that would stay out of the JSON Schema. */
const settingRules = new WeakMap<z.core.$ZodType, SettingRules>();

/** The rules that were declared for a schema. */
export function rulesOf(schema: z.core.$ZodType | undefined): SettingRules {
  return (schema && settingRules.get(schema)) ?? {};
}

/** The type of a setting without `optional` and its default. */
export function typeOf(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  const def = schema?._zod.def as z.core.$ZodOptionalDef | undefined;
  return def !== undefined && ["optional", "default", "prefault"].includes(def.type)
    ? typeOf(def.innerType)
    : schema;
}

/** The schema of one key of a map; `undefined` if the map is not described further. */
export function schemaAt(type: z.core.$ZodType | undefined, key: string): z.core.$ZodType | undefined {
  if (type instanceof z.ZodObject) return Object.hasOwn(type.shape, key) ? type.shape[key] : undefined;
  return type instanceof z.ZodRecord ? type.valueType : undefined;
}

function showDefault(value: unknown): string {
  const text = JSON.stringify(value);
  if (typeof value !== "number" || value % 2 ** 20 !== 0 || value === 0) return text;
  return `${text} (${value % 2 ** 30 === 0 ? `${value / 2 ** 30} GiB` : `${value / 2 ** 20} MiB`})`;
}
