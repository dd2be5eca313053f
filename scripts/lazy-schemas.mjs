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
      for (const { start, end } of schemas.sort((a, b) => b.start - a.start))
        changed = `${changed.slice(0, start)}new LazySchema(() => ${changed.slice(start, end)})${changed.slice(end)}`;
      return { code: `import { LazySchema } from ${JSON.stringify(lazySchema)}; ${changed}`, map: null };
    },
  };
}

/** The schemas of all definitions of tools below a node, except those that are only named: they exist already. */
function schemasIn(node, found = new Set()) {
  if (node === null || typeof node !== "object" || found.has(node)) return found;
  if (node.type === "CallExpression" && node.callee.name === "defineTool") {
    for (const { key, value } of node.arguments[0]?.properties ?? [])
      if (["input", "output"].includes(key?.name) && value.type === "CallExpression") found.add(value);
  }
  for (const child of Object.values(node)) schemasIn(child, found);
  return found;
}
