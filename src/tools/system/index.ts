import type { ToolMakers } from "../../contract/tool-makers.js";
import { currentTime } from "./current-time.js";
import { describeTool } from "./describe-tool.js";
import { getEnv } from "./get-env.js";
import { readResult } from "./read-result.js";
import { setEnv } from "./set-env.js";
import { sleepTool } from "./sleep.js";
import { toolSearch } from "./tool-search.js";

/** The tools for time, environment variables, stored outputs and the tool catalogue. */
export const systemTools: ToolMakers = {
  current_time: () => currentTime,
  sleep: () => sleepTool,
  get_env: () => getEnv,
  set_env: () => setEnv,
  read_result: () => readResult,
  tool_search: () => toolSearch,
  describe_tool: () => describeTool,
};
