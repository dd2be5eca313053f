import type { Tool } from "../../contract/tool.js";
import { currentTime } from "./current-time.js";
import { getEnv } from "./get-env.js";
import { readResult } from "./read-result.js";
import { setEnv } from "./set-env.js";
import { sleepTool } from "./sleep.js";

/** The tools for time, environment and kept outputs. */
export const systemTools: readonly Tool[] = [currentTime, sleepTool, getEnv, setEnv, readResult];
