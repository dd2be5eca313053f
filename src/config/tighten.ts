import type * as z from "zod";
import { isRecord } from "../contract/is-record.js";
import { configSchema } from "./config-schema.js";
import type { NormalConfig } from "./normal-config.js";
import type { ResolvedConfig } from "./resolve-config.js";
import { rulesOf, schemaAt, typeOf } from "./setting.js";

/** What an untrusted configuration may change, and the keys that it may not. */
export interface Tightened {
  /** Only what is stricter than the person's own configuration; to be merged on top of it. */
  readonly config: NormalConfig;
  readonly ignored: readonly string[];
}

/** Take what makes things stricter from an untrusted configuration; settings without a rule are ignored. */
export function tighten(wanted: NormalConfig, base: ResolvedConfig): Tightened {
  const ignored: string[] = [];
  const config = tightenMap({ schema: configSchema(), path: "", present: base, ignored }, wanted);
  return { config, ignored };
}

interface Setting {
  readonly schema: z.core.$ZodType | undefined;
  readonly path: string;
  readonly present: unknown;
  readonly ignored: string[];
}

function tightenMap(place: Setting, wanted: object): object {
  const { path, present, ignored } = place;
  const type = typeOf(place.schema);
  const entries = Object.entries(wanted).map(([key, value]: [string, unknown]) => {
    const inner = {
      schema: schemaAt(type, key),
      path: path === "" ? key : `${path}.${key}`,
      present: isRecord(present) && Object.hasOwn(present, key) ? present[key] : undefined,
      ignored,
    };
    return [key, tightenValue(inner, value)] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function tightenValue(place: Setting, wanted: unknown): unknown {
  const { schema, path, present, ignored } = place;
  const { tighten: rule } = rulesOf(schema);
  const type = typeOf(schema);
  if (rule !== undefined) {
    const refuse = (part = ""): void => void ignored.push(path + part);
    return wanted === undefined
      ? undefined
      : rule(wanted as never, { present, type: type as z.ZodType, refuse });
  }
  if (isEmpty(wanted)) return undefined;
  // At the top the names of servers and the like are worth listing one by one.
  if (isRecord(wanted) && (!path.includes(".") || hasRules(type))) {
    const taken = tightenMap(place, wanted);
    return isEmpty(taken) ? undefined : taken;
  }
  ignored.push(path);
  return undefined;
}

/** Whether something inside can be tightened. */
function hasRules(type: z.core.$ZodType | undefined): boolean {
  const { def } = (type as z.core.$ZodTypes)._zod;
  if (def.type !== "object") return def.type === "record" && hasRules(typeOf(def.valueType));
  return Object.values(def.shape).some(
    (inner) => rulesOf(inner).tighten !== undefined || hasRules(typeOf(inner)),
  );
}

/** Whether the value has no content that could have an effect. */
function isEmpty(value: unknown): boolean {
  if (value === undefined) return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
