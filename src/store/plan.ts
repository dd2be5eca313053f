import type { PlanStore } from "../contract/ports/plan.js";
import { createFeatures } from "./plan-features.js";
import { historyOf, requireRecord } from "./plan-history.js";
import { createRequirements } from "./plan-requirements.js";
import { createTasks } from "./plan-tasks.js";
import type { WorkParts } from "./work-scope.js";

/** Requirements, features and tasks, whose references always lead somewhere: nothing is ever removed. */
export function createPlanStore(parts: WorkParts): PlanStore {
  const { database } = parts;
  return {
    ...createRequirements(parts),
    ...createFeatures(parts),
    ...createTasks(parts),
    async history(kind, id) {
      await requireRecord(database, { kind, id });
      return historyOf(database, { kind, id });
    },
  };
}
