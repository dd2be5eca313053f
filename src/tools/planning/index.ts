import type { ToolMakers } from "../../contract/tool-makers.js";
import { addFeature } from "./add-feature.js";
import { createRequirement } from "./create-requirement.js";
import { createTask } from "./create-task.js";
import { getFeatures } from "./get-features.js";
import { getRequirements } from "./get-requirements.js";
import { getTasks } from "./get-tasks.js";
import { updateFeature } from "./update-feature.js";
import { updateRequirement } from "./update-requirement.js";
import { updateTask } from "./update-task.js";
import { updateTaskStatus } from "./update-task-status.js";

export const planningTools: ToolMakers = {
  create_requirement: () => createRequirement,
  add_feature: () => addFeature,
  create_task: () => createTask,
  update_requirement: () => updateRequirement,
  update_feature: () => updateFeature,
  update_task: () => updateTask,
  update_task_status: () => updateTaskStatus,
  get_requirements: () => getRequirements,
  get_features: () => getFeatures,
  get_tasks: () => getTasks,
};
