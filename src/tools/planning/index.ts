import type { Tool } from "../../contract/tool.js";
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

export const planningTools: readonly Tool[] = [
  createRequirement,
  addFeature,
  createTask,
  updateRequirement,
  updateFeature,
  updateTask,
  updateTaskStatus,
  getRequirements,
  getFeatures,
  getTasks,
];
