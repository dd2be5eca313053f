// Makes the schemas of the built-in tools when they are first needed: `input: z.object(…)` of a `defineTool` becomes
// `input: new LazySchema(() => z.object(…))`. Making all of them takes a tenth of a short command.
import { join, sep } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** @param {string} root The folder of the package. */
export function lazySchemas(root) {
  const lazySchema = join(root, "src/contract/lazy-schema.ts");
  return {
    name: "lazy-schemas",
    transform(code, id) {
      if (!id.includes(`${sep}src${sep}tools${sep}`) || !code.includes("defineTool(")) return undefined;
      const schemas = [...schemasIn(parseAst(code, { lang: "ts" }))];
      if (schemas.length === 0) return undefined;
      // From the end, so that places stay right; lines stay where they are, and so does the source map.
      let changed = code;
      for (const { key, value, shorthand } of schemas.sort((a, b) => b.value.start - a.value.start)) {
        const { start, end } = value;
        const lazy = `new LazySchema(() => ${changed.slice(start, end)})`;
        changed = `${changed.slice(0, start)}${shorthand ? `${key.name}: ` : ""}${lazy}${changed.slice(end)}`;
      }
      return { code: `import { LazySchema } from ${JSON.stringify(lazySchema)}; ${changed}`, map: null };
    },
  };
}

/** The schemas of all definitions of tools below a node. One that is only named is often in a file that nothing else needs. */
function schemasIn(node, found = new Set()) {
  if (node === null || typeof node !== "object" || found.has(node)) return found;
  if (node.type === "CallExpression" && node.callee.name === "defineTool") {
    for (const property of node.arguments[0]?.properties ?? []) {
      const isSchema = ["CallExpression", "Identifier"].includes(property.value?.type);
      if (isSchema && ["input", "output"].includes(property.key.name)) found.add(property);
    }
  }
  for (const child of Object.values(node)) schemasIn(child, found);
  return found;
}
