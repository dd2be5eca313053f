import { createRequire } from "node:module";
import type * as Unbash from "unbash";

const require = createRequire(import.meta.url);

/** The shell's grammar, loaded when the first line is judged: it is larger than most of what a program starts with. */
export function grammar(): typeof Unbash {
  return require("unbash") as typeof Unbash;
}
