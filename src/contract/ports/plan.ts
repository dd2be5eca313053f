import type { RecordedChange } from "./actor.js";

export const priorities = ["high", "medium", "low"] as const;

/** How important a record of the plan is. */
export type Priority = (typeof priorities)[number];

export const taskStatuses = ["pending", "in_progress", "blocked", "done", "cancelled"] as const;

/** How far a task is. */
export type TaskStatus = (typeof taskStatuses)[number];

/** What every record of a plan has. Times are Unix milliseconds. */
export interface PlanRecord {
  /** Given by its creator; unique in the workspace. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The iteration that it was made in. */
  readonly iterationId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A requirement of the plan. */
export interface Requirement extends PlanRecord {
  readonly priority: Priority;
}

/** A feature of the plan. */
export interface Feature extends PlanRecord {
  readonly requirementIds: readonly string[];
}

/** A task of the plan. */
export interface Task extends PlanRecord {
  readonly status: TaskStatus;
  readonly featureId?: string;
  readonly dependsOn: readonly string[];
  /** It is pending and all that it depends on is done. */
  readonly ready: boolean;
  /** Those of `dependsOn` that are not done. */
  readonly waitsFor: readonly string[];
}

/** What every new record of the plan has. */
export interface NewPlanRecord {
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

/** A requirement to add to the plan. */
export interface NewRequirement extends NewPlanRecord {
  readonly priority: Priority;
}

/** A feature to add to the plan. */
export interface NewFeature extends NewPlanRecord {
  readonly requirementIds: readonly string[];
}

/** A task to add to the plan. */
export interface NewTask extends NewPlanRecord {
  readonly featureId?: string | undefined;
  readonly dependsOn?: readonly string[] | undefined;
}

/** Only what is given is changed. */
export interface RequirementChange {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: Priority | undefined;
}

/** Only what is given is changed. */
export interface FeatureChange {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly requirementIds?: readonly string[] | undefined;
}

/** Only what is given is changed; `featureId: null` takes the task out of its feature. */
export interface TaskChange {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly featureId?: string | null | undefined;
  readonly dependsOn?: readonly string[] | undefined;
}

/** Which records of the plan are listed. */
export interface PlanFilter {
  readonly ids?: readonly string[] | undefined;
  /** Only what was made in the present iteration. */
  readonly thisIteration?: boolean | undefined;
}

/** Which requirements are listed. */
export interface RequirementFilter extends PlanFilter {
  readonly priority?: Priority | undefined;
}

/** Which features are listed. */
export interface FeatureFilter extends PlanFilter {
  readonly requirementId?: string | undefined;
}

/** Which tasks are listed. */
export interface TaskFilter extends PlanFilter {
  readonly status?: TaskStatus | undefined;
  readonly featureId?: string | undefined;
  /** Only what can be begun now. */
  readonly ready?: boolean | undefined;
}

/** The kinds of records in the plan. */
export type PlanKind = "requirement" | "feature" | "task";

/** Requirements, the features that meet them and the tasks that build those. References always lead somewhere. */
export interface PlanStore {
  createRequirement(requirement: NewRequirement): Promise<Requirement>;
  updateRequirement(id: string, change: RequirementChange): Promise<Requirement>;
  requirements(filter?: RequirementFilter): Promise<readonly Requirement[]>;
  createFeature(feature: NewFeature): Promise<Feature>;
  updateFeature(id: string, change: FeatureChange): Promise<Feature>;
  features(filter?: FeatureFilter): Promise<readonly Feature[]>;
  createTask(task: NewTask): Promise<Task>;
  updateTask(id: string, change: TaskChange): Promise<Task>;
  setTaskStatus(id: string, status: TaskStatus, note?: string): Promise<Task>;
  tasks(filter?: TaskFilter): Promise<readonly Task[]>;
  /** Every change of a record, oldest first. */
  history(kind: PlanKind, id: string): Promise<readonly RecordedChange[]>;
}
