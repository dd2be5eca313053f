import type { Hono } from "hono";
import * as z from "zod";
import { notFound } from "../http-error.js";
import { readBody, readParam } from "../read-request.js";
import { limitHeaders } from "../limit-headers.js";
import { admissionOf, requestUser } from "../request-person.js";
import type { RouteContext } from "../route-context.js";
import { createOrigins, toDetail, toRow } from "../tool-view.js";

const stateBody = z.strictObject({ enabled: z.boolean() });
const callBody = z.strictObject({
  arguments: z.unknown().optional(),
  id: z.string().min(1).max(200).optional(),
  taskId: z.string().min(1).max(200).optional(),
  timeoutMs: z.number().int().min(1).max(86_400_000).optional(),
});

/** The tools: listing, enabling and disabling, and trying one. */
export function addTools(api: Hono, served: RouteContext): void {
  const { tenon } = served;
  const views = { tenon, originOf: createOrigins(tenon), definitionTokens: served.definitionTokens };
  const known = (name: string): string => {
    if (!tenon.registry.has(name)) throw notFound(`Tool "${name}"`);
    return name;
  };
  api.get("/tools", (c) => {
    const tools = tenon.registry.list({ includeDisabled: true });
    const rows = tools.flatMap(({ name }) => toRow(views, name) ?? []);
    return c.json(rows.sort((one, other) => (one.name < other.name ? -1 : 1)));
  });
  api.get("/tools/:name", async (c) => c.json(await toDetail(views, known(readParam(c, "name")))));
  api.post("/tools/:name/state", async (c) => {
    const name = known(readParam(c, "name"));
    const { enabled } = await readBody(c, stateBody);
    if (enabled) tenon.registry.enable(name);
    else tenon.registry.disable(name, "a person disabled it in the console");
    return c.json(toRow(views, name));
  });
  api.post("/tools/:name/call", async (c) => {
    const name = readParam(c, "name");
    const { arguments: args, id, taskId, timeoutMs } = await readBody(c, callBody);
    const session = await served.session(admissionOf(c));
    const idempotencyKey = c.req.header("idempotency-key");
    const envelope = await session.call({
      name,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      arguments: args ?? {},
      signal: c.req.raw.signal,
      ...(id !== undefined && { id }),
      ...(taskId !== undefined && { taskId }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    const userId = requestUser(c)?.principal;
    const use = tenon.limits.tightest({
      toolName: envelope.toolName,
      ...(userId !== undefined && { userId }),
    });
    for (const [key, value] of Object.entries(limitHeaders(use, served.now()))) c.header(key, value);
    return c.json(envelope, envelope.error?.code === "QUOTA_SPENT" ? 429 : 200);
  });
}
