import type { ToolMakers } from "../../contract/tool-makers.js";
import { completeStage } from "./complete-stage.js";
import { gotoStage } from "./goto-stage.js";
import { pipelineStatus } from "./pipeline-status.js";
import { startIteration } from "./start-iteration.js";

/** The tools that move the pipeline. */
export const controlTools: ToolMakers = {
  goto_stage: () => gotoStage,
  complete_stage: () => completeStage,
  pipeline_status: () => pipelineStatus,
  start_iteration: () => startIteration,
};
