import type { Tool } from "../../contract/tool.js";
import { codeQuery } from "./code-query.js";

/** The tools that search code. */
export const codeTools: readonly Tool[] = [codeQuery];
