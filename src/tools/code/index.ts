import type { Tool } from "../../contract/tool.js";
import { codeQuery } from "./code-query.js";

export const codeTools: readonly Tool[] = [codeQuery];
