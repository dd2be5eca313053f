import { attempt } from "../contract/errno.js";
import { walkSchema, type SchemaNode } from "./walk-schema.js";

/** The schemas that a schema may lead to, references inside the document included, up to a number. */
export function schemasBelow(branch: unknown, root: SchemaNode): ReadonlySet<object> {
  const found = new Set<object>();
  const open: unknown[] = [branch];
  while (open.length > 0 && found.size < 1000) {
    const next = open.pop();
    if (typeof next !== "object" || next === null || found.has(next)) continue;
    walkSchema(next as SchemaNode, (node) => {
      found.add(node);
      if (typeof node["$ref"] === "string") open.push(targetOf(node["$ref"], root));
    });
  }
  return found;
}

/** What a pointer into the document leads to; names given by `$anchor` and `$id` are not looked for. */
export function targetOf(ref: string, root: SchemaNode): unknown {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const token of ref.slice(2).split("/")) {
    const decoded = attempt(() => decodeURIComponent(token)) ?? token;
    const key = decoded.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return undefined;
    target = (target as SchemaNode)[key];
  }
  return target;
}
