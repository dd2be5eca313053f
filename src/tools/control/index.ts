import type { Tool } from "../../contract/tool.js";
import { completeStage } from "./complete-stage.js";
import { gotoStage } from "./goto-stage.js";
import { pipelineStatus } from "./pipeline-status.js";
import { startIteration } from "./start-iteration.js";

/** The tools that move the pipeline. */
export const controlTools: readonly Tool[] = [gotoStage, completeStage, pipelineStatus, startIteration];
