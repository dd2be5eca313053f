import type { Hono } from "hono";
import * as z from "zod";
import { readBody, readQuery } from "../read-request.js";
import { requestActs, requireSeen, seenOf } from "../request-person.js";
import type { RouteContext } from "../route-context.js";

const id = z.string().regex(/^held_[a-f0-9]{16}$/, "not the id of a held back change");
const query = z.strictObject({ callId: z.string().min(1).max(200).optional() });
const selection = z.strictObject({ ids: z.array(id).min(1).max(1000) });

/** Changes of commands that were held back, and a person's decision about them. */
export function addQuarantine(api: Hono, { tenon }: RouteContext): void {
  api.get("/quarantine", async (c) => c.json(seenOf(c, await tenon.quarantine.list(readQuery(c, query)))));
  api.get("/quarantine/:id", async (c) => {
    const held = await tenon.quarantine.show(c.req.param("id"));
    requireSeen(c, held.sessionId, "Held change");
    return c.json(held);
  });
  api.post("/quarantine/restore", async (c) =>
    c.json(await requestActs(c, tenon).quarantine.restore((await readBody(c, selection)).ids)),
  );
  api.post("/quarantine/discard", async (c) =>
    c.json(await requestActs(c, tenon).quarantine.discard((await readBody(c, selection)).ids)),
  );
}
