import { once } from "./once.js";
import type { SchemaSource } from "./schema-source.js";

/**
 * A schema that is made when it is first needed. The build wraps the schemas of the built-in tools in it (scripts/lazy-schemas.mjs):
 * a short command needs one tool of eighty.
 */
export class LazySchema {
  readonly make: () => SchemaSource;

  constructor(make: () => SchemaSource) {
    this.make = make;
  }
}

const lazyTools = new WeakSet<object>();

/** Turn the lazy schemas of a definition into getters: whatever reads a schema finds an ordinary one. */
export function unwrapLazySchemas(definition: object): void {
  for (const role of ["input", "output"] as const) {
    const schema = (definition as { readonly [role]?: unknown })[role];
    if (!(schema instanceof LazySchema)) continue;
    Object.defineProperty(definition, role, { get: once(schema.make), enumerable: true });
    lazyTools.add(definition);
  }
}

/** Whether to leave the schemas of a tool alone until they are needed. */
export function hasLazySchemas(tool: object): boolean {
  return lazyTools.has(tool);
}
