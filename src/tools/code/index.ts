import type { ToolMakers } from "../../contract/tool-makers.js";
import { codeQuery } from "./code-query.js";
import { grep } from "./grep.js";

export const codeTools: ToolMakers = {
  code_query: () => codeQuery,
  grep: () => grep,
};
