import * as z from "zod";
import { ToolValidationError } from "../../contract/errors.js";
import type { RecordedChange } from "../../contract/ports/actor.js";
import {
  priorities,
  taskStatuses,
  type Feature,
  type PlanKind,
  type PlanStore,
  type Task,
} from "../../contract/ports/plan.js";

/** The id of a record, chosen by the caller that creates it. */
export const planId = z
  .string()
  .trim()
  .regex(
    /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._:#/-]{0,99}$/u,
    "expected 1 to 100 letters, digits, _ . : # / or -",
  );

export const planTitle = z.string().trim().min(1).max(500);
export const planText = z.string().max(50_000);
export const planIds = z.array(planId).max(1000);

const history = z.array(
  z.object({
    at: z.number(),
    agent: z.string(),
    sessionId: z.string(),
    callId: z.string().optional(),
    what: z.string(),
    note: z.string().optional(),
  }),
);

const record = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  iterationId: z.string(),
  createdAt: z.number().describe("Unix milliseconds."),
  updatedAt: z.number().describe("Unix milliseconds."),
  history: history.optional(),
});

export const requirementRecord = record.extend({ priority: z.enum(priorities) });

export const featureRecord = record.extend({ requirementIds: z.array(z.string()) });

export const taskRecord = record.extend({
  status: z.enum(taskStatuses),
  featureId: z.string().optional(),
  dependsOn: z.array(z.string()),
  ready: z.boolean().describe("Whether it is pending and everything it depends on is done."),
  waitsFor: z.array(z.string()).describe("The tasks in dependsOn that are not done."),
});

/** The filters of every query of the plan. */
export const planFilter = {
  ids: planIds.optional().describe("Only records with these ids."),
  this_iteration: z.boolean().default(false).describe("Only records that were created in this iteration."),
  include_history: z.boolean().default(false).describe("Include all changes of each record."),
};

/** The resources of a tool that changes the plan. */
export const planWrites = () => ({ writes: [{ lock: "plan" }], reads: [{ lock: "pipeline" }] });

/** The resources of a tool that reads the plan. */
export const planReads = () => ({ reads: [{ lock: "plan" }, { lock: "pipeline" }] });

/** A feature as a result. The cast drops `readonly`: results are not modified. */
export function toFeature(feature: Feature): z.infer<typeof featureRecord> {
  return feature as z.infer<typeof featureRecord>;
}

/** A task as a result. The cast drops `readonly`: results are not modified. */
export function toTask(task: Task): z.infer<typeof taskRecord> {
  return task as z.infer<typeof taskRecord>;
}

export async function withHistory<Record extends { readonly id: string }>(
  plan: PlanStore,
  records: readonly Record[],
  { kind, wanted }: { readonly kind: PlanKind; readonly wanted: boolean },
): Promise<(Record & { history?: RecordedChange[] })[]> {
  if (!wanted) return [...records];
  return Promise.all(
    records.map(async (one) => ({ ...one, history: [...(await plan.history(kind, one.id))] })),
  );
}

/** Refuse an update without any field: the caller probably misspelled one. */
export function requireChange(change: Readonly<{ [field: string]: unknown }>): void {
  if (Object.values(change).some((value) => value !== undefined)) return;
  throw new ToolValidationError(
    `Nothing to update: pass at least one of ${Object.keys(change).join(", ")}.`,
    {
      code: "VALUE_INVALID",
      hint: "Fields that are left out stay as they are.",
    },
  );
}
