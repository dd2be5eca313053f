import type { Hono } from "hono";
import * as z from "zod";
import { memoryKinds } from "../../contract/ports/memories.js";
import type { MemoryRow, PlanView } from "../api.js";
import { readQuery } from "../read-request.js";
import type { RouteContext } from "../route-context.js";

const memoriesQuery = z.strictObject({
  query: z.string().max(1000).optional(),
  scope: z.enum(["all", "smart", "project", "iteration"]).default("all"),
  kind: z.enum(memoryKinds).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

/** The plan and the memory of the workspace's agents. */
export function addWork(api: Hono, { tenon }: RouteContext): void {
  api.get("/plan", async (c) => c.json(await toPlan(tenon)));
  api.get("/memories", async (c) => {
    const found = await tenon.work.memories.query(readQuery(c, memoriesQuery));
    const rows: MemoryRow[] = found.map(({ id, kind, layer, title, content, tags, createdAt, status }) => ({
      id,
      kind,
      scope: layer,
      title,
      content,
      tags,
      createdAt,
      status,
    }));
    return c.json(rows);
  });
}

async function toPlan({ work }: RouteContext["tenon"]): Promise<PlanView> {
  const { plan, pipeline } = work;
  const [status, requirements, features, tasks] = await Promise.all([
    pipeline.status(),
    plan.requirements(),
    plan.features(),
    plan.tasks(),
  ]);
  return {
    ...(status !== undefined && { iteration: { id: status.iteration.id, name: status.iteration.name } }),
    stages: (status?.stages ?? []).map(({ stage, state }) => ({ stage, status: state })),
    requirements: requirements.map((one) => ({ ...one })),
    features: features.map((one) => ({ ...one })),
    tasks: tasks.map((one) => ({ ...one })),
  };
}
