import { once } from "./once.js";
import type { SchemaSource } from "./schema-source.js";

/**
 * A schema that is made when it is first needed. The build wraps the schemas of the built-in tools in it (scripts/lazy-schemas.mjs):
 * a short command needs one tool of eighty.
 */
export class LazySchema {
  readonly make: () => SchemaSource;
  readonly shape: PlainShape | undefined;

  constructor(make: () => SchemaSource, shape?: PlainShape) {
    this.make = make;
    this.shape = shape;
  }
}

/**
 * What the build knows of a schema without making it: the keys of an object, each with the type of its values, `other` where only the
 * schema can judge them, and a `?` if the key may be left out.
 */
export type PlainShape = Readonly<Record<string, string>>;

type Role = "input" | "output";

const lazyTools = new WeakMap<object, Partial<Record<Role, PlainShape>>>();

/** Turn the lazy schemas of a definition into getters: whatever reads a schema finds an ordinary one. */
export function unwrapLazySchemas(definition: object): void {
  for (const role of ["input", "output"] as const) {
    const schema = (definition as { readonly [role]?: unknown })[role];
    if (!(schema instanceof LazySchema)) continue;
    Object.defineProperty(definition, role, { get: once(schema.make), enumerable: true });
    lazyTools.set(definition, {
      ...lazyTools.get(definition),
      ...(schema.shape && { [role]: schema.shape }),
    });
  }
}

/** Whether to leave the schemas of a tool alone until they are needed. */
export function hasLazySchemas(tool: object): boolean {
  return lazyTools.has(tool);
}

/** What is known of a lazy schema without making it. */
export function shapeOf(tool: object, role: Role): PlainShape | undefined {
  return lazyTools.get(tool)?.[role];
}
