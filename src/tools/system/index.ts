import type { Tool } from "../../contract/tool.js";
import { currentTime } from "./current-time.js";
import { describeTool } from "./describe-tool.js";
import { getEnv } from "./get-env.js";
import { readResult } from "./read-result.js";
import { setEnv } from "./set-env.js";
import { sleepTool } from "./sleep.js";
import { toolSearch } from "./tool-search.js";

/** The tools for time, environment variables, stored outputs and the tool catalogue. */
export const systemTools: readonly Tool[] = [
  currentTime,
  sleepTool,
  getEnv,
  setEnv,
  readResult,
  toolSearch,
  describeTool,
];
