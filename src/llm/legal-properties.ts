import type { JsonSchema } from "../contract/json.js";
import { toLegalName } from "./legal-name.js";
import { isSchema } from "./schema-parts.js";

/** A schema whose top keys are legal, and the way back; `back` is missing where nothing had to change. */
export interface LegalProperties {
  readonly schema: JsonSchema;
  readonly back?: ((args: unknown) => unknown) | undefined;
}

/** What Anthropic takes as a key of a tool's arguments. */
const legal = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Rename the arguments whose names a provider would refuse the whole request for. */
export function legalProperties(schema: JsonSchema): LegalProperties {
  const { properties } = schema;
  if (!isSchema(properties)) return { schema };
  const names = Object.keys(properties);
  if (names.every((name) => legal.test(name))) return { schema };
  const taken = new Set(names.filter((name) => legal.test(name)));
  const byTrue = new Map<string, string>();
  for (const name of names) {
    const own = legal.test(name) ? name : toLegalName(name, taken);
    taken.add(own);
    byTrue.set(name, own);
  }
  const byLegal = new Map([...byTrue].map(([name, own]) => [own, name]));
  const rename = (record: JsonSchema, to: ReadonlyMap<string, string>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [to.get(name) ?? name, value]));
  const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : undefined;
  return {
    schema: {
      ...schema,
      properties: rename(properties, byTrue),
      ...(required !== undefined && { required: required.map((name) => byTrue.get(name) ?? name) }),
    },
    back: (args) => (isSchema(args) ? rename(args, byLegal) : args),
  };
}
