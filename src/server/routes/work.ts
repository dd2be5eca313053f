import type { Hono } from "hono";
import * as z from "zod";
import { memoryKinds, type Memory } from "../../contract/ports/memories.js";
import { taskStatuses } from "../../contract/ports/plan.js";
import type { MemoryRow, PlanView } from "../api.js";
import { includesRole } from "../../contract/ports/access.js";
import { notFound } from "../http-error.js";
import { readBody, readParam, readQuery } from "../read-request.js";
import { requestUser } from "../request-person.js";
import type { RouteContext } from "../route-context.js";

const memoriesQuery = z.strictObject({
  query: z.string().max(1000).optional(),
  scope: z.enum(["all", "smart", "project", "iteration"]).default("all"),
  kind: z.enum(memoryKinds).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

const statusBody = z.strictObject({
  status: z.enum(taskStatuses),
  note: z.string().max(4000).optional(),
});
const text = z.string().trim().min(1);
const memoryBody = z.strictObject({
  title: text.max(500).optional(),
  content: text.max(100_000).optional(),
  tags: z.array(text.max(100)).max(50).optional(),
});
const promoteBody = z.strictObject({
  kind: z.enum(["decision", "pattern"]),
  reason: z.string().max(4000).optional(),
});
const resolveBody = z.strictObject({ resolution: text.max(10_000) });

/** The plan and the memory of the workspace's agents. */
export function addWork(api: Hono, { tenon }: RouteContext): void {
  api.get("/plan", async (c) => c.json(await toPlan(tenon)));
  api.post("/plan/tasks/:id/status", async (c) => {
    const { status, note } = await readBody(c, statusBody);
    return c.json(await tenon.work.plan.setTaskStatus(readParam(c, "id"), status, note));
  });
  addMemories(api, tenon);
}

function addMemories(api: Hono, tenon: RouteContext["tenon"]): void {
  const { work } = tenon;
  api.get("/memories", async (c) => {
    const query = readQuery(c, memoriesQuery);
    const user = requestUser(c);
    const isOwnOnly = user !== undefined && !includesRole(user.role, "approver");
    const { memories } = isOwnOnly ? tenon.workOf(user.principal) : work;
    return c.json((await memories.query(query)).map(toMemoryRow));
  });
  api.put("/memories/:id", async (c) => {
    const change = await readBody(c, memoryBody);
    return c.json(toMemoryRow(await work.memories.update(readParam(c, "id"), change)));
  });
  api.delete("/memories/:id", async (c) => {
    const id = readParam(c, "id");
    if (!(await work.memories.forget(id))) throw notFound(`Memory "${id}"`);
    return c.json({ forgotten: id });
  });
  api.post("/memories/:id/promote", async (c) => {
    const { kind, reason } = await readBody(c, promoteBody);
    const promotion = kind === "decision" ? { kind, rationale: reason } : { kind, whenToUse: reason };
    const { memory } = await work.memories.promote(readParam(c, "id"), promotion);
    return c.json(toMemoryRow(memory));
  });
  api.post("/memories/:id/resolve", async (c) => {
    const { resolution } = await readBody(c, resolveBody);
    return c.json(toMemoryRow(await work.memories.resolve(readParam(c, "id"), resolution)));
  });
}

function toMemoryRow(memory: Memory): MemoryRow {
  const { id, kind, layer, title, content, tags, createdAt, status, principal, endpoint } = memory;
  return { id, kind, scope: layer, title, content, tags, createdAt, status, principal, endpoint };
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
