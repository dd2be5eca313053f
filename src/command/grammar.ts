import { createRequire } from "node:module";
import type * as Unbash from "unbash";

/** The shell's grammar, loaded when the first line is judged: it is larger than most of what a program starts with. */
export const grammar = once(() => createRequire(import.meta.url)("unbash") as typeof Unbash);

/** Looking a module up by its name takes longer than parsing most lines. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
