import type { Context, Hono } from "hono";
import * as z from "zod";
import type { ConnectionView, JobOutputView, JobView } from "../api.js";
import { readBody, readParam, readQuery } from "../read-request.js";
import { requestActs, requireSeen, seenOf } from "../request-person.js";
import type { RouteContext } from "../route-context.js";

const sinceQuery = z.strictObject({
  since: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});
const inputBody = z.strictObject({ text: z.string().max(65_536), end: z.boolean().optional() });

/** The background jobs of all sessions, and what uses the network. */
export function addJobs(api: Hono, { tenon }: RouteContext): void {
  const place = (c: Context) => {
    const sessionId = readParam(c, "session");
    requireSeen(c, sessionId, "Job");
    return { sessionId, jobId: readParam(c, "job") };
  };
  api.get("/jobs", async (c) => c.json(seenOf(c, await tenon.jobs.list()) satisfies readonly JobView[]));
  api.get("/jobs/:session/:job/output", (c) => {
    const { since } = readQuery(c, sinceQuery);
    return c.json(tenon.jobs.follow(place(c), since) satisfies JobOutputView);
  });
  api.post("/jobs/:session/:job/input", async (c) => {
    const input = await readBody(c, inputBody);
    await requestActs(c, tenon).jobs.type(place(c), input);
    return c.json({ typed: true });
  });
  api.post("/jobs/:session/:job/stop", async (c) => {
    await requestActs(c, tenon).jobs.stop(place(c));
    return c.json({ stopped: true });
  });
  api.get("/connections", (c) => c.json(seenOf(c, tenon.connections()) satisfies readonly ConnectionView[]));
}
