import { createRequire } from "node:module";
import type * as Unbash from "unbash";

/** The parser, loaded when the first line is read: whoever runs no command need not wait for it. */
export function parse(source: string): Unbash.ParsedScript {
  return library().parse(source);
}

/** Visit the direct children of a node. */
export function forEachChild(node: Unbash.SyntaxNode, visit: (child: Unbash.SyntaxNode) => void): void {
  library().forEachChild(node, visit);
}

const library = once(() => createRequire(import.meta.url)("unbash") as typeof Unbash);

/** Looking a module up by its name takes longer than parsing most lines. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
