// Makes the schemas of the built-in tools when they are first needed: `input: z.object(…)` of a `defineTool` becomes
// `input: new LazySchema(() => z.object(…))`. Making all of them takes a tenth of a short command. Of simple schemas the shape is written
// beside it, so that a call with plain arguments need not even load Zod.
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
        const shape = shapeOf(value);
        const known = shape === undefined ? "" : `, ${JSON.stringify(shape)}`;
        const lazy = `new LazySchema(() => ${changed.slice(start, end)}${known})`;
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

/** Types whose values the shape alone can judge. */
const plain = new Set(["string", "number", "boolean"]);
/** What says nothing of the values, or only refuses some of those that are there. */
const notes = new Set(["describe", "optional"]);
const limits = new Set(["min", "max", "int", "positive", "nonnegative", "regex", "length", "nullable"]);

/**
 * The shape of `z.object({ word: z.string().optional() })`, as src/contract/lazy-schema.ts explains it; `undefined` for what is not as simple.
 * @returns {Record<string, string> | undefined}
 */
function shapeOf(node) {
  if (node.type !== "CallExpression" || zodName(node) !== "object" || node.arguments.length !== 1)
    return undefined;
  const shape = {};
  for (const { type, key, computed, value } of node.arguments[0].properties ?? []) {
    const kind = type === "Property" && !computed ? kindOf(value) : undefined;
    if (kind === undefined) return undefined;
    shape[key.name ?? key.value] = kind;
  }
  return shape;
}

/** The type of a property; a key that must be there and that only the schema can judge has none. */
function kindOf(node) {
  const words = [];
  let inner = node;
  while (inner.type === "CallExpression" && zodName(inner) === undefined) {
    if (inner.callee.type !== "MemberExpression") return undefined;
    words.push(inner.callee.property.name);
    inner = inner.callee.object;
  }
  if (inner.type !== "CallExpression" || words.some((word) => !notes.has(word) && !limits.has(word)))
    return undefined;
  const isPlain =
    plain.has(zodName(inner)) && inner.arguments.length === 0 && words.every((word) => notes.has(word));
  if (words.includes("optional")) return isPlain ? `${zodName(inner)}?` : "other?";
  return isPlain ? zodName(inner) : undefined;
}

/** The name in `z.name(…)`. */
function zodName({ callee }) {
  return callee.type === "MemberExpression" && callee.object.name === "z" ? callee.property.name : undefined;
}
