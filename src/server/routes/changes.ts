import type { Hono } from "hono";
import * as z from "zod";
import { readBody, readQuery } from "../read-request.js";
import { requestActs, sessionsSeenBy } from "../request-person.js";
import type { RouteContext } from "../route-context.js";

const name = z.string().min(1).max(4096);
const changesQuery = z.strictObject({
  path: name.optional(),
  /** Part of their paths. */
  text: z.string().max(4096).default(""),
  taskId: name.optional(),
  callId: name.optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
const force = z.boolean().optional();
const undoBody = z.union([
  z.strictObject({ path: name, force }),
  z.strictObject({ callId: name, force }),
  z.strictObject({ taskId: name, force }),
  z.strictObject({ since: z.number(), force }),
  z.strictObject({ last: z.literal(true), force }),
]);
/** Looked through for those of one task, call or text. */
const maxLookedAt = 10_000;

/** The changes that can be undone, the preview of an undo, and the undo. */
export function addChanges(api: Hono, { tenon }: RouteContext): void {
  api.get("/changes", async (c) => {
    const { path, text, taskId, callId, limit } = readQuery(c, changesQuery);
    const sees = sessionsSeenBy(c);
    const narrowed = text !== "" || taskId !== undefined || callId !== undefined || sees !== undefined;
    const wanted = text.toLowerCase();
    const changes = await tenon.history({
      limit: narrowed ? maxLookedAt : limit,
      ...(path !== undefined && { path }),
    });
    const meant = changes.filter(
      (change) =>
        sees?.(change.sessionId) !== false &&
        change.path.toLowerCase().includes(wanted) &&
        (taskId === undefined || change.taskId === taskId) &&
        (callId === undefined || [change.callId, change.commandCallId].includes(callId)),
    );
    return c.json(meant.slice(0, limit));
  });
  api.post("/undo/preview", async (c) => {
    const { force: isForced, ...what } = await readBody(c, undoBody);
    return c.json(await tenon.previewUndo(what, { force: isForced }));
  });
  api.post("/undo", async (c) => {
    const { force: isForced, ...what } = await readBody(c, undoBody);
    return c.json(await requestActs(c, tenon).undo(what, { force: isForced }));
  });
}
