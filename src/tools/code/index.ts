import type { Tool } from "../../contract/tool.js";
import { codeQuery } from "./code-query.js";
import { grep } from "./grep.js";

export const codeTools: readonly Tool[] = [codeQuery, grep];
