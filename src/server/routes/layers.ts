import type { Hono } from "hono";
import * as z from "zod";
import { readBody, readParam, readQuery } from "../read-request.js";
import { requestActs, requireSeen, seenOf } from "../request-person.js";
import type { RouteContext } from "../route-context.js";

const path = z.string().min(1).max(4096);
const listQuery = z.strictObject({ callId: z.string().min(1).max(200).optional() });
const selection = z.strictObject({ paths: z.array(path).min(1).max(1000).optional() });
const consent = selection.extend({
  seenNs: z
    .string()
    .regex(/^\d{1,20}$/)
    .optional(),
});

/** Changes of commands that are not in the workspace, and a person's decision about them. */
export function addLayers(api: Hono, { tenon }: RouteContext): void {
  api.get("/layers", async (c) => c.json(seenOf(c, await tenon.layers.list(readQuery(c, listQuery)))));
  api.get("/layers/:id", async (c) => {
    const layer = await tenon.layers.show(readParam(c, "id"));
    requireSeen(c, layer.sessionId, "Layer");
    return c.json(layer);
  });
  api.post("/layers/:id/commit", async (c) => {
    const { paths, seenNs } = await readBody(c, consent);
    return c.json(await requestActs(c, tenon).layers.commit(readParam(c, "id"), paths, seenNs));
  });
  api.post("/layers/:id/discard", async (c) => {
    const { paths } = await readBody(c, selection);
    await requestActs(c, tenon).layers.discard(readParam(c, "id"), paths);
    return c.json({ discarded: true });
  });
}
