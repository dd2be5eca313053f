/** A plugin for the bundler; see lazy-schemas.mjs. */
export function lazySchemas(root: string): {
  readonly name: string;
  transform(code: string, id: string): { code: string; map: null } | undefined;
};
