import { createRequire } from "node:module";
import type * as Unbash from "unbash";
import { once } from "../contract/once.js";

/** The shell's grammar, loaded with the first line and kept: looking a module up takes longer than parsing most lines. */
export const grammar = once(() => createRequire(import.meta.url)("unbash") as typeof Unbash);
